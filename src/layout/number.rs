//! Reading numbers out of attribute text.

use crate::problem::{Problem, Result};

/// The numbers of a text that separates them by spaces, commas, or a sign.
pub fn numbers(text: &str) -> Result<Vec<f64>> {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches(is_separator);
    while !rest.is_empty() {
        let length = number_length(rest);
        let (number, after) = rest.split_at(length);
        let value = number.parse::<f64>().ok().filter(|x| x.is_finite());
        let Some(value) = value else {
            let shown: String = rest.chars().take(20).collect();
            return Err(Problem::new(format!("\"{shown}\" is not a number"))
                .help("numbers are written like -12.5 or 1e-3"));
        };
        found.push(value);
        rest = after.trim_start_matches(is_separator);
    }
    Ok(found)
}

fn is_separator(c: char) -> bool {
    c == ',' || c.is_whitespace()
}

/// How many bytes at the start belong to one number.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut dots = 0;
    for (k, byte) in bytes.iter().enumerate() {
        let after_exponent = k > 0 && matches!(bytes[k - 1], b'e' | b'E');
        let belongs = match byte {
            b'0'..=b'9' | b'e' | b'E' => true,
            b'+' | b'-' => k == 0 || after_exponent,
            b'.' => {
                dots += 1;
                dots == 1
            }
            _ => false,
        };
        if !belongs {
            return k;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_separated_in_many_ways() {
        assert_eq!(
            numbers(" 1,2.5 -3-4.e1,.5.25 1e-2 ").unwrap(),
            [1.0, 2.5, -3.0, -40.0, 0.5, 0.25, 0.01]
        );
        assert!(numbers("").unwrap().is_empty());
        assert!(numbers("1 two 3").unwrap_err().message.contains("\"two 3\" is not a number"));
        assert!(numbers("1e999").unwrap_err().message.contains("1e999"));
    }
}
