//! Text in columns, as kubectl prints it.

/// The space between two columns.
const PADDING: usize = 3;
/// The least width of a column, its padding included.
const MIN_WIDTH: usize = 6;

/// Rows as lines. Each column but the last is as wide as its widest cell and three spaces more; the last one is not padded.
/// Characters count, not bytes.
pub(super) fn render(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|cell| (cell.chars().count() + PADDING).max(MIN_WIDTH))
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for row in rows {
        for (column, cell) in row.iter().enumerate() {
            out.push_str(cell);
            if column + 1 < row.len() {
                let used = cell.chars().count();
                out.extend(std::iter::repeat_n(' ', widths[column].saturating_sub(used)));
            }
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::render;

    fn check(rows: &[&[&str]], expected: &str) {
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.iter().map(|&cell| cell.to_owned()).collect())
            .collect();
        assert_eq!(render(&rows), expected);
    }

    #[test]
    fn columns_are_padded_but_for_the_last() {
        check(&[], "");
        check(&[&["NAME", "AGE"], &["a", "1s"]], "NAME   AGE\na      1s\n");
        check(&[&["N", "V"], &["a", ""]], "N     V\na     \n");
        check(
            &[&["NAME", "", "X"], &["ä-ö-ü", "", "y"]],
            "NAME          X\nä-ö-ü         y\n",
        );
        check(&[&["only"], &["one", "two"]], "only\none    two\n");
    }
}
