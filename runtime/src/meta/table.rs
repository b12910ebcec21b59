//! Objects as the server would print them: `Table` of `meta.k8s.io/v1`.

use super::ListMeta;
use crate::record;
use crate::record::{KEEP, NIL, OMIT};
use crate::value::{RawJson, Str};

/// Rows of cells in place of objects: what a server answers when asked for a table.
#[derive(Clone, Default)]
pub struct Table {
    /// Version and continue token of the list; for one object, its version.
    pub metadata: ListMeta,
    /// What the cells of each row are.
    pub column_definitions: Vec<TableColumnDefinition>,
    /// One per object.
    pub rows: Vec<TableRow>,
}

record! { Table = "meta.k8s.io/v1" "Table" {
    0 metadata "metadata" [] KEEP;
    1 column_definitions "columnDefinitions" [] NIL;
    2 rows "rows" [] NIL;
} }

/// A column of a [`Table`].
#[derive(Clone, Default)]
pub struct TableColumnDefinition {
    /// The heading.
    pub name: Str,
    /// A type of OpenAPI: `string`, `integer`, `number`, `boolean`.
    pub type_: Str,
    /// What the type means, such as `name` for the column that names the object.
    pub format: Str,
    /// For people.
    pub description: Str,
    /// 0 for columns that are always shown; higher ones are for wide output.
    pub priority: i32,
}

record! { TableColumnDefinition {
    0 name "name" [] KEEP;
    1 type_ "type" [] KEEP;
    2 format "format" [] KEEP;
    3 description "description" [] KEEP;
    4 priority "priority" [] KEEP;
} }

/// A row of a [`Table`].
#[derive(Clone, Default)]
pub struct TableRow {
    /// One per column: strings, numbers, booleans, or lists and maps of them.
    pub cells: Vec<RawJson>,
    /// What is special about the row.
    pub conditions: Vec<TableRowCondition>,
    /// The object behind the row, whole or reduced to its metadata; `null` if it was not asked for.
    pub object: RawJson,
}

record! { TableRow {
    0 cells "cells" [] NIL;
    1 conditions "conditions" [] OMIT;
    2 object "object" [] OMIT;
} }

/// What is special about a [`TableRow`].
#[derive(Clone, Default)]
pub struct TableRowCondition {
    /// `Completed` for an object that has run to its end.
    pub type_: Str,
    /// `True`, `False` or `Unknown`.
    pub status: Str,
    /// For programs.
    pub reason: Str,
    /// For people.
    pub message: Str,
}

record! { TableRowCondition {
    0 type_ "type" [] KEEP;
    1 status "status" [] KEEP;
    2 reason "reason" [] OMIT;
    3 message "message" [] OMIT;
} }
