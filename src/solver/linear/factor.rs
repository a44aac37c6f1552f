//! The Cholesky factor of `A theta A^T` for a sparse matrix A by columns: the pattern is ordered and
//! analysed once, then factorised for one scaling theta after the other.

use super::blocks::Blocks;
use super::scaling::Scaling;

/// Below this part of the largest diagonal entry a pivot is rounding: its unknown is held.
const HELD: f64 = 1e-26;

/// Pattern, matrix and factor in one.
pub(super) struct Factor {
    /// The place of each row in the order of elimination.
    place: Vec<u32>,
    /// Where the entries of each column of the factor start; its diagonal comes first.
    start: Vec<usize>,
    row: Vec<u32>,
    value: Vec<f64>,
    /// Per column of the factor, the earlier ones that change it, and from which entry on.
    updates: Vec<Vec<(u32, u32)>>,
    /// Per block of columns of A, where the products of its rows go.
    products: Vec<Vec<u32>>,
    work: Vec<f64>,
    scaled: Vec<f64>,
}

impl Factor {
    pub fn new(rows: usize, matrix: &Blocks) -> Factor {
        let mut pattern = Neighbours::new(rows);
        for block in &matrix.blocks {
            pattern.clique(&block.rows);
        }
        let (place, lists) = pattern.eliminate();
        let mut start = vec![0];
        let mut row = Vec::new();
        let mut updates = vec![Vec::new(); rows];
        for (j, list) in lists.iter().enumerate() {
            row.push(j as u32);
            for &i in list {
                updates[i as usize].push((j as u32, row.len() as u32));
                row.push(i);
            }
            start.push(row.len());
        }
        let mut factor = Factor {
            value: vec![0.0; row.len()],
            place,
            start,
            row,
            updates,
            products: Vec::new(),
            work: vec![0.0; rows],
            scaled: Vec::new(),
        };
        factor.products = matrix.blocks.iter().map(|b| factor.positions(&b.rows)).collect();
        factor
    }

    /// Where the products of rows go, those of the first with itself and all after it first.
    fn positions(&self, rows: &[u32]) -> Vec<u32> {
        let mut positions = Vec::with_capacity(rows.len() * (rows.len() + 1) / 2);
        for (k, a) in rows.iter().enumerate() {
            for b in &rows[k..] {
                let (a, b) = (self.place[*a as usize], self.place[*b as usize]);
                let (i, j) = (a.max(b), a.min(b) as usize);
                let (from, to) = (self.start[j], self.start[j + 1]);
                let at = self.row[from..to].binary_search(&i).expect("the pattern has it");
                positions.push((from + at) as u32);
            }
        }
        positions
    }

    /// Makes the matrix with this scaling, and its factor.
    pub fn factorise(&mut self, matrix: &Blocks, theta: &Scaling) {
        self.value.fill(0.0);
        for (block, positions) in matrix.blocks.iter().zip(&self.products) {
            let mut positions = positions.iter();
            block.products(theta, &mut self.scaled, |product| {
                let at = positions.next().expect("one for each product");
                self.value[*at as usize] += product;
            });
        }
        let diagonal = |j: usize| self.value[self.start[j]];
        let largest = (0..self.place.len()).map(diagonal).fold(f64::MIN_POSITIVE, f64::max);
        for j in 0..self.place.len() {
            let (from, to) = (self.start[j], self.start[j + 1]);
            for at in from..to {
                self.work[self.row[at] as usize] = self.value[at];
            }
            for &(k, at) in &self.updates[j] {
                let (at, end) = (at as usize, self.start[k as usize + 1]);
                let share = self.value[at];
                for (i, x) in self.row[at..end].iter().zip(&self.value[at..end]) {
                    self.work[*i as usize] -= share * x;
                }
            }
            let pivot = self.work[j];
            let root = if pivot > HELD * largest { pivot.sqrt() } else { 1e64 };
            self.value[from] = root;
            let inverse = root.recip();
            for at in from + 1..to {
                self.value[at] = self.work[self.row[at] as usize] * inverse;
            }
        }
    }

    /// Replaces `x` by the solution of `matrix * solution = x`.
    pub fn solve(&mut self, x: &mut [f64]) {
        for (place, x) in self.place.iter().zip(&*x) {
            self.work[*place as usize] = *x;
        }
        let count = self.place.len();
        for j in 0..count {
            let (from, to) = (self.start[j], self.start[j + 1]);
            let known = self.work[j] / self.value[from];
            self.work[j] = known;
            for at in from + 1..to {
                self.work[self.row[at] as usize] -= known * self.value[at];
            }
        }
        for j in (0..count).rev() {
            let (from, to) = (self.start[j], self.start[j + 1]);
            let mut sum = self.work[j];
            for at in from + 1..to {
                sum -= self.value[at] * self.work[self.row[at] as usize];
            }
            self.work[j] = sum / self.value[from];
        }
        for (place, x) in self.place.iter().zip(x) {
            *x = self.work[*place as usize];
        }
    }
}

/// Who is beside whom: a bit for every pair.
struct Neighbours {
    count: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Neighbours {
    fn new(count: usize) -> Neighbours {
        let words = count.div_ceil(64);
        Neighbours { count, words, bits: vec![0; count * words] }
    }

    fn clique(&mut self, rows: &[u32]) {
        for a in rows {
            for b in rows {
                self.bits[*a as usize * self.words + *b as usize / 64] |= 1 << (b % 64);
            }
        }
    }

    /// Eliminates the row with the fewest neighbours, again and again; the place of each row in
    /// that order, and per place the later places that are its neighbours then.
    fn eliminate(mut self) -> (Vec<u32>, Vec<Vec<u32>>) {
        let words = self.words;
        let degree = |bits: &[u64], i: usize| -> u32 {
            bits[i * words..(i + 1) * words].iter().map(|word| word.count_ones()).sum()
        };
        let mut degrees: Vec<u32> = (0..self.count).map(|i| degree(&self.bits, i)).collect();
        let mut place = vec![u32::MAX; self.count];
        let mut lists = Vec::with_capacity(self.count);
        for at in 0..self.count {
            let open = (0..self.count).filter(|&i| place[i] == u32::MAX);
            let Some(row) = open.min_by_key(|&i| degrees[i]) else { break };
            place[row] = at as u32;
            let mut own: Vec<u64> = self.bits[row * words..(row + 1) * words].to_vec();
            own[row / 64] &= !(1 << (row % 64));
            let members = ones(&own);
            for &i in &members {
                let theirs = &mut self.bits[i as usize * words..(i as usize + 1) * words];
                theirs.iter_mut().zip(&own).for_each(|(a, b)| *a |= b);
                theirs[row / 64] &= !(1 << (row % 64));
                degrees[i as usize] = degree(&self.bits, i as usize);
            }
            lists.push(members);
        }
        for list in &mut lists {
            list.iter_mut().for_each(|i| *i = place[*i as usize]);
            list.sort_unstable();
        }
        (place, lists)
    }
}

fn ones(words: &[u64]) -> Vec<u32> {
    let mut ones = Vec::new();
    for (k, word) in words.iter().enumerate() {
        let mut left = *word;
        while left != 0 {
            ones.push(64 * k as u32 + left.trailing_zeros());
            left &= left - 1;
        }
    }
    ones
}
