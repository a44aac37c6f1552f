//! Named columns: the payload of every record is a list of them, so that a
//! reader finds what it knows by name and steps over what it does not. A
//! column is a table of numbers of one type: some rows, some components each.

use super::words::{self, Past};
use crate::math::{DQuat, DVec3};
use crate::problem::{Problem, Result};

/// The values as they are, row by row, little-endian.
const PLAIN: u8 = 0;
/// The same, compressed by zlib.
const ZLIB: u8 = 1;
/// [`words`], component by component, predicted with order 0, 1 or 2: the
/// encoding is this number plus the order. For 8-byte values only.
const WORDS: u8 = 2;

/// A frame has no more rows of anything than this for each body: contacts, letters, planes.
const MOST_ROWS: u64 = 10_000;

/// The numbers that a column may hold.
pub(super) trait Number: Copy {
    /// Kind and size in bytes, as numpy spells them.
    const CODE: [u8; 2];
    const SIZE: usize;
    fn put(self, bytes: &mut Vec<u8>);
    /// From exactly `SIZE` bytes.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! numbers {
    ($($number:ty: $code:literal),*) => {$(
        impl Number for $number {
            const CODE: [u8; 2] = *$code;
            const SIZE: usize = size_of::<$number>();
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                let mut own = [0; size_of::<$number>()];
                own.copy_from_slice(bytes);
                <$number>::from_le_bytes(own)
            }
        }
    )*};
}
numbers!(u8: b"u1", u32: b"u4", i32: b"i4", u64: b"u8", f32: b"f4", f64: b"f8");

/// A byte of UTF-8 text: a type of its own, so that readers know text from numbers.
#[derive(Clone, Copy)]
struct Letter(u8);

impl Number for Letter {
    const CODE: [u8; 2] = *b"t1";
    const SIZE: usize = 1;
    fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(self.0);
    }
    fn get(bytes: &[u8]) -> Self {
        Letter(u8::get(bytes))
    }
}

/// Columns on their way into a record.
#[derive(Default)]
pub(super) struct Builder {
    payload: Vec<u8>,
}

impl Builder {
    /// A few numbers, stored as they are.
    pub(super) fn plain<T: Number>(&mut self, name: &str, components: u8, values: &[T]) {
        self.column::<T>(name, components, values.len(), PLAIN, &little_endian(values));
    }

    /// Many numbers, compressed.
    pub(super) fn packed<T: Number>(&mut self, name: &str, components: u8, values: &[T]) {
        let stored = words::deflate(&little_endian(values));
        self.column::<T>(name, components, values.len(), ZLIB, &stored);
    }

    pub(super) fn text(&mut self, name: &str, text: &str) {
        // Compression pays from some length on; a word is better left alone.
        let letters: Vec<Letter> = text.bytes().map(Letter).collect();
        if letters.len() < 64 {
            self.plain(name, 1, &letters);
        } else {
            self.packed(name, 1, &letters);
        }
    }

    /// Many exact numbers that resemble each other.
    pub(super) fn floats(&mut self, name: &str, values: &[f64]) {
        let bits: Vec<u64> = values.iter().map(|v| v.to_bits()).collect();
        self.words(name, 1, &bits, &Past::default());
    }

    /// Exact vectors.
    pub(super) fn vectors(&mut self, name: &str, values: &[DVec3]) {
        self.words(name, 3, &split(values), &Past::default());
    }

    /// Exact vectors that are predicted from those of earlier frames.
    pub(super) fn moving(&mut self, name: &str, values: &[DVec3], past: &mut Past) {
        let words = split(values);
        self.words(name, 3, &words, past);
        past.remember(words);
    }

    /// Exact numbers, likewise.
    pub(super) fn changing(&mut self, name: &str, values: &[f64], past: &mut Past) {
        let words: Vec<u64> = values.iter().map(|v| v.to_bits()).collect();
        self.words(name, 1, &words, past);
        past.remember(words);
    }

    /// Exact quaternions, likewise.
    pub(super) fn turning(&mut self, name: &str, values: &[DQuat], past: &mut Past) {
        let part = |k: usize| values.iter().map(move |q| q.to_array()[k].to_bits());
        let words: Vec<u64> = (0..4).flat_map(part).collect();
        self.words(name, 4, &words, past);
        past.remember(words);
    }

    fn words(&mut self, name: &str, components: u8, words: &[u64], past: &Past) {
        let (order, stored) = words::pack(words, past);
        self.column::<f64>(name, components, words.len(), WORDS + order, &stored);
    }

    fn column<T: Number>(
        &mut self,
        name: &str,
        components: u8,
        values: usize,
        encoding: u8,
        stored: &[u8],
    ) {
        debug_assert!(name.len() < 256 && values.is_multiple_of(components.into()));
        let rows = values as u64 / u64::from(components);
        (name.len() as u8).put(&mut self.payload);
        self.payload.extend(name.as_bytes());
        self.payload.extend(T::CODE);
        self.payload.extend([components, encoding]);
        rows.put(&mut self.payload);
        (stored.len() as u64).put(&mut self.payload);
        self.payload.extend(stored);
    }

    pub(super) fn payload(self) -> Vec<u8> {
        self.payload
    }
}

fn little_endian<T: Number>(values: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(values.len() * T::SIZE);
    values.iter().for_each(|value| value.put(&mut bytes));
    bytes
}

/// The bits of all x, then of all y, then of all z.
pub(super) fn split(values: &[DVec3]) -> Vec<u64> {
    (0..3).flat_map(|axis| values.iter().map(move |v| v[axis].to_bits())).collect()
}

/// The columns of a record, found by name and decoded on demand.
pub(super) struct Columns<'a> {
    columns: Vec<Column<'a>>,
}

struct Column<'a> {
    name: &'a str,
    code: [u8; 2],
    components: u8,
    encoding: u8,
    rows: u64,
    stored: &'a [u8],
}

impl<'a> Columns<'a> {
    pub(super) fn read(payload: &'a [u8]) -> Result<Columns<'a>> {
        let mut rest = payload;
        let mut columns = Vec::new();
        while !rest.is_empty() {
            let column = Column::read(&mut rest).ok_or_else(|| {
                Problem::new(format!("its column number {} is malformed", columns.len()))
            })?;
            columns.push(column);
        }
        Ok(Columns { columns })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// Refuses columns whose rows do not suit so many bodies, before anything of their size is made:
    /// those of these names have a row for each body.
    pub(super) fn check_rows(&self, bodies: usize, of_bodies: &[&str]) -> Result<()> {
        let bodies = bodies as u64;
        let most = bodies.saturating_add(1).saturating_mul(MOST_ROWS);
        for Column { name, rows, .. } in &self.columns {
            if of_bodies.contains(name) && *rows != bodies {
                return Err(Problem::new(format!(
                    "it has {rows} rows of `{name}` for {bodies} bodies"
                )));
            }
            if *rows > most {
                return Err(Problem::new(format!(
                    "its column `{name}` has {rows} rows for {bodies} bodies"
                ))
                .help(format!("there are at most {MOST_ROWS} for each")));
            }
        }
        Ok(())
    }

    /// All values of a column, row by row.
    pub(super) fn values<T: Number>(&self, name: &str, components: u8) -> Result<Vec<T>> {
        let column = self.find::<T>(name, components)?;
        let bytes = match column.encoding {
            WORDS if T::SIZE == 8 => {
                let words = column.words(&Past::default())?;
                let rows = words.len() / usize::from(components).max(1);
                let by_row = (0..rows).flat_map(|r| words.iter().skip(r).step_by(rows));
                by_row.flat_map(|word| word.to_le_bytes()).collect()
            }
            _ => column.unpacked(T::SIZE)?.ok_or_else(|| column.broken())?,
        };
        Ok(bytes.chunks_exact(T::SIZE).map(T::get).collect())
    }

    /// The first value of a column.
    pub(super) fn value<T: Number>(&self, name: &str) -> Result<T> {
        let values = self.values(name, 1)?;
        values.first().copied().ok_or_else(|| Problem::new(format!("its column `{name}` is empty")))
    }

    pub(super) fn text(&self, name: &str) -> Result<String> {
        let letters: Vec<Letter> = self.values(name, 1)?;
        String::from_utf8(letters.into_iter().map(|letter| letter.0).collect())
            .map_err(|_| Problem::new(format!("its column `{name}` is not UTF-8 text")))
    }

    pub(super) fn vectors(&self, name: &str) -> Result<Vec<DVec3>> {
        self.moving(name, &mut Past::default())
    }

    /// Vectors that may have been predicted from those of earlier frames.
    pub(super) fn moving(&self, name: &str, past: &mut Past) -> Result<Vec<DVec3>> {
        let column = self.find::<f64>(name, 3)?;
        let words = column.words(past)?;
        let n = words.len() / 3;
        let float = |i: usize| f64::from_bits(words[i]);
        let vectors = (0..n).map(|i| DVec3::new(float(i), float(n + i), float(2 * n + i)));
        let vectors = vectors.collect();
        past.remember(words);
        Ok(vectors)
    }

    /// Numbers that may have been predicted from those of earlier frames.
    pub(super) fn changing(&self, name: &str, past: &mut Past) -> Result<Vec<f64>> {
        let words = self.find::<f64>(name, 1)?.words(past)?;
        let values = words.iter().map(|word| f64::from_bits(*word)).collect();
        past.remember(words);
        Ok(values)
    }

    /// Quaternions that may have been predicted from those of earlier frames.
    pub(super) fn turning(&self, name: &str, past: &mut Past) -> Result<Vec<DQuat>> {
        let words = self.find::<f64>(name, 4)?.words(past)?;
        let n = words.len() / 4;
        let part = |i: usize, k: usize| f64::from_bits(words[k * n + i]);
        let turn = |i: usize| DQuat::from_array([0, 1, 2, 3].map(|k| part(i, k)));
        let turns = (0..n).map(turn).collect();
        past.remember(words);
        Ok(turns)
    }

    fn find<T: Number>(&self, name: &str, components: u8) -> Result<&Column<'a>> {
        let found = self.columns.iter().find(|column| column.name == name);
        let column = found.ok_or_else(|| Problem::new(format!("it has no column `{name}`")))?;
        if (column.code, column.components) != (T::CODE, components) {
            return Err(Problem::new(format!(
                "its column `{name}` holds {} of {} components, expected {} of {components}",
                column.code.escape_ascii(),
                column.components,
                T::CODE.escape_ascii(),
            )));
        }
        Ok(column)
    }
}

impl<'a> Column<'a> {
    fn read(rest: &mut &'a [u8]) -> Option<Column<'a>> {
        let name_length = take(rest, 1)?[0];
        let name = std::str::from_utf8(take(rest, name_length.into())?).ok()?;
        let [kind, size, components, encoding] = take(rest, 4)?.try_into().ok()?;
        let rows = u64::get(take(rest, 8)?);
        let stored = u64::get(take(rest, 8)?);
        let stored = take(rest, usize::try_from(stored).ok()?)?;
        Some(Column { name, code: [kind, size], components, encoding, rows, stored })
    }

    /// Bytes of all values, unpacked.
    fn size(&self, each: usize) -> Result<usize> {
        self.count()?.checked_mul(each).ok_or_else(|| self.broken())
    }

    fn count(&self) -> Result<usize> {
        let rows = usize::try_from(self.rows).ok();
        rows.and_then(|r| r.checked_mul(self.components.into())).ok_or_else(|| self.broken())
    }

    fn words(&self, past: &Past) -> Result<Vec<u64>> {
        match self.encoding.checked_sub(WORDS) {
            Some(order @ 0..=3) => {
                words::unpack(self.stored, order, self.count()?, past).ok_or_else(|| self.broken())
            }
            Some(_) => Err(self.unknown_encoding()),
            None => {
                // Row by row: all first components come first here.
                let bytes = self.unpacked(8)?.ok_or_else(|| self.broken())?;
                let words: Vec<u64> = bytes.chunks_exact(8).map(u64::get).collect();
                let each = usize::from(self.components).max(1);
                Ok((0..each).flat_map(|k| words.iter().skip(k).step_by(each).copied()).collect())
            }
        }
    }

    /// The bytes of all values, each of so many, where they are stored as they are or as one zlib
    /// stream; none if they are not as many as they should be.
    fn unpacked(&self, each: usize) -> Result<Option<Vec<u8>>> {
        if ![PLAIN, ZLIB].contains(&self.encoding) {
            return Err(self.unknown_encoding());
        }
        let size = self.size(each)?;
        let bytes = match self.encoding {
            PLAIN => Some(self.stored.to_vec()),
            _ => words::inflate(self.stored, size),
        };
        Ok(bytes.filter(|bytes| bytes.len() == size))
    }

    fn broken(&self) -> Problem {
        let Column { name, rows, components, .. } = self;
        Problem::new(format!(
            "its column `{name}` does not unpack to {rows} rows of {components} components"
        ))
    }

    fn unknown_encoding(&self) -> Problem {
        let Column { name, encoding, .. } = self;
        Problem::new(format!("its column `{name}` has the unknown encoding {encoding}"))
            .help("a newer riprap may be able to read it")
    }
}

/// Takes bytes off the front, if there are that many.
fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (front, back) = rest.split_at_checked(count)?;
    *rest = back;
    Some(front)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample() -> Vec<u8> {
        let mut builder = Builder::default();
        builder.plain("step", 1, &[7_u64]);
        builder.packed("pairs", 2, &[1_i32, -2, 3, -4]);
        builder.text("word", "rest");
        builder.text("sentence", &"It is a long way to Tipperary. ".repeat(9));
        builder.floats("radius", &[0.5, -0.0, f64::NAN, f64::INFINITY]);
        builder.vectors("corner", &[DVec3::new(1.0, 2.0, 3.0), DVec3::new(4.0, 5.0, 6.0)]);
        builder.payload()
    }

    fn message<T>(result: Result<T>) -> String {
        result.err().unwrap().message
    }

    #[test]
    fn columns_come_back_by_name() {
        let payload = sample();
        let columns = Columns::read(&payload).unwrap();
        assert_eq!(columns.value::<u64>("step"), Ok(7));
        assert_eq!(columns.values::<i32>("pairs", 2), Ok(vec![1, -2, 3, -4]));
        assert_eq!(columns.text("word").unwrap(), "rest");
        assert_eq!(columns.text("sentence").unwrap().len(), 31 * 9);
        let radius: Vec<f64> = columns.values("radius", 1).unwrap();
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&radius), bits(&[0.5, -0.0, f64::NAN, f64::INFINITY]));
        assert_eq!(columns.vectors("corner").unwrap()[1], DVec3::new(4.0, 5.0, 6.0));
        assert_eq!(columns.values::<f64>("corner", 3), Ok(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        assert!(columns.has("word") && !columns.has("world"));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let payload = sample();
        let columns = Columns::read(&payload).unwrap();
        assert_eq!(message(columns.value::<u64>("steps")), "it has no column `steps`");
        assert_eq!(
            message(columns.value::<f64>("step")),
            "its column `step` holds u8 of 1 components, expected f8 of 1"
        );
        assert_eq!(
            message(columns.values::<i32>("pairs", 3)),
            "its column `pairs` holds i4 of 2 components, expected i4 of 3"
        );
        assert_eq!(
            message(columns.vectors("radius")),
            "its column `radius` holds f8 of 1 components, expected f8 of 3"
        );
        let cut = Columns::read(&payload[..payload.len() - 1]);
        assert_eq!(message(cut.map(|_| ())), "its column number 5 is malformed");
    }

    #[test]
    fn forged_rows_and_encodings_are_refused() {
        let mut builder = Builder::default();
        builder.packed("group", 1, &[1_u32, 2, 3]);
        let mut payload = builder.payload();
        let rows = 1 + 5 + 4;
        for forged in [2, 4, u64::MAX, u64::MAX / 4 + 1] {
            payload[rows..rows + 8].copy_from_slice(&forged.to_le_bytes());
            let text = message(Columns::read(&payload).unwrap().values::<u32>("group", 1));
            assert!(text.starts_with("its column `group` does not unpack to "), "{text}");
        }
        payload[rows - 1] = 9;
        let text = message(Columns::read(&payload).unwrap().values::<u32>("group", 1));
        assert_eq!(text, "its column `group` has the unknown encoding 9");
    }

    /// What another program writes without prediction is read as well, and predicted from.
    #[test]
    fn moving_columns_are_read_as_they_are() {
        let rows = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(-4.0, 5.5, 1e-300)];
        let bytes: Vec<u8> =
            rows.iter().flat_map(|v| v.to_array()).flat_map(f64::to_le_bytes).collect();
        for (encoding, stored) in [(PLAIN, bytes.clone()), (ZLIB, words::deflate(&bytes))] {
            let mut builder = Builder::default();
            builder.column::<f64>("position", 3, 6, encoding, &stored);
            let (mut past, mut written) = (Past::default(), Past::default());
            let payload = builder.payload();
            let columns = Columns::read(&payload).unwrap();
            assert_eq!(columns.moving("position", &mut past).unwrap(), rows);
            assert_eq!(columns.vectors("position").unwrap(), rows);
            Builder::default().moving("position", &rows, &mut written);
            let mut next = Builder::default();
            next.moving("position", &rows, &mut written);
            let payload = next.payload();
            let columns = Columns::read(&payload).unwrap();
            assert_eq!(columns.moving("position", &mut past).unwrap(), rows);
        }
    }

    #[test]
    fn a_frame_without_its_past_is_refused() {
        let mut past = Past::default();
        let mut builder = Builder::default();
        builder.moving("position", &[DVec3::X], &mut past);
        let mut next = Builder::default();
        next.moving("position", &[DVec3::X], &mut past);
        let payload = next.payload();
        let text = message(Columns::read(&payload).unwrap().vectors("position"));
        assert_eq!(text, "its column `position` does not unpack to 1 rows of 3 components");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5)) {
            let mut payload = sample();
            for (place, value) in flips {
                let place = place.index(payload.len());
                payload[place] = value;
            }
            if let Ok(columns) = Columns::read(&payload) {
                let _ = columns.value::<u64>("step");
                let _ = columns.values::<i32>("pairs", 2);
                let _ = columns.text("sentence");
                let _ = columns.values::<f64>("radius", 1);
                let _ = columns.vectors("corner");
            }
        }
    }
}
