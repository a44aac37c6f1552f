//! A panic is a fault of the trial that it ends, of no other.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// What came of a part of a trial, or the words of its panic.
pub fn caught<T>(part: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(part)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no words");
        format!("panic: {text}")
    })
}

/// What went wrong with it, its panic included.
pub fn fault(part: impl FnOnce() -> Option<String>) -> Option<String> {
    caught(part).unwrap_or_else(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault_with_its_words() {
        assert_eq!(fault(|| None), None);
        assert_eq!(fault(|| Some("it leans".into())), Some("it leans".into()));
        assert_eq!(fault(|| panic!("row {}", 3)), Some("panic: row 3".into()));
        assert_eq!(caught(|| 7), Ok(7));
    }
}
