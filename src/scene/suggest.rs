//! "Did you mean ...?"

/// The candidate most like `word`, if it is close enough to be what was meant.
pub fn nearest_name<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // Names are short; a word longer than any of them is no misspelt name.
    let word: Vec<char> = word.chars().take(64).collect();
    let limit = (word.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|name| (edits(&word, name), name))
        .filter(|&(edits, _)| edits <= limit)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, name)| name)
}

/// How many letters must be changed, added, dropped or swapped with their
/// neighbour to make one word of the other; capitals do not count.
fn edits(a: &[char], b: &str) -> usize {
    let a: Vec<char> = a.iter().map(char::to_ascii_lowercase).collect();
    let b: Vec<char> = b.chars().map(|c| c.to_ascii_lowercase()).collect();
    // table[i][j]: the edits between the first i letters of a and the first j of b.
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                table[i][j] = i + j;
                continue;
            }
            let changed = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(table[i - 2][j - 2] + 1);
            }
            table[i][j] = best;
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &str, b: &str) -> usize {
        edits(&a.chars().collect::<Vec<_>>(), b)
    }

    #[test]
    fn counts_edits() {
        assert_eq!(distance("radius", "radius"), 0);
        assert_eq!(distance("raduis", "radius"), 1);
        assert_eq!(distance("Radius", "radius"), 0);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn suggests_only_what_is_close() {
        let names = ["grid", "group", "radius"];
        assert_eq!(nearest_name("raduis", names), Some("radius"));
        assert_eq!(nearest_name("gird", names), Some("grid"));
        assert_eq!(nearest_name("colour", names), None);
        assert_eq!(nearest_name("", names), None);
    }
}
