//! How a field is held and when it is written.
//!
//! With facts it follows the Go type: what Go holds by value is plain, what it holds by pointer is an `Option`. Without
//! facts it follows the schema: required is plain, the rest is an `Option`, which keeps absent and empty apart.

use crate::facts::{FieldFact, Holder, Kind, OwnShape};
use crate::ir::{Presence, TypeRef};

/// What the schema says about the presence of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// It may be absent.
    Optional,
    /// It must be there.
    Required,
    /// It must be there and may be `null`.
    RequiredNullable,
}

/// The type of a field and when it is written. `message` says whether `bare` is a record, which an `Option` boxes.
pub(super) fn hold(
    bare: TypeRef,
    message: bool,
    fact: Option<&FieldFact>,
    demand: Demand,
) -> (TypeRef, Presence) {
    match fact {
        Some(fact) => by_fact(bare, message, fact),
        None => match demand {
            Demand::Optional => (optional(bare, message), Presence::Opt),
            Demand::Required => (bare, Presence::Keep),
            Demand::RequiredNullable => (optional(bare, message), Presence::Null),
        },
    }
}

/// An `Option`, boxed if it is a record.
pub(super) fn optional(bare: TypeRef, message: bool) -> TypeRef {
    TypeRef::Option(Box::new(if message {
        TypeRef::Boxed(Box::new(bare))
    } else {
        bare
    }))
}

fn by_fact(bare: TypeRef, message: bool, fact: &FieldFact) -> (TypeRef, Presence) {
    let omit = fact.omit_empty || fact.omit_zero;
    let nil = if omit { Presence::Omit } else { Presence::Nil };
    match fact.holder {
        Holder::Pointer => (
            optional(bare, message),
            if omit { Presence::Opt } else { Presence::Nil },
        ),
        Holder::Slice | Holder::Map => (bare, nil),
        Holder::Value => match fact.kind {
            // A nil slice.
            Kind::Bytes | Kind::Own(OwnShape::StringList) => (bare, nil),
            // A Go struct is never empty, whatever it stands for: only `omitzero` leaves it out.
            Kind::Message | Kind::Own(_) => (
                bare,
                if fact.omit_zero {
                    Presence::Omit
                } else {
                    Presence::Keep
                },
            ),
            Kind::String | Kind::Bool | Kind::Int32 | Kind::Int64 | Kind::Double => {
                (bare, if omit { Presence::Omit } else { Presence::Keep })
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Primitive;

    fn fact(holder: Holder, kind: Kind, omit_empty: bool, omit_zero: bool) -> FieldFact {
        FieldFact {
            json: "field".to_owned(),
            path: vec![1],
            holder,
            element_pointer: false,
            kind,
            omit_empty,
            omit_zero,
        }
    }

    #[test]
    fn facts_decide() {
        use Presence::{Keep, Nil, Omit, Opt};
        let string = Kind::String;
        let time = Kind::Own(OwnShape::Time);
        for (holder, kind, omit_empty, omit_zero, option, presence) in [
            (Holder::Value, string, true, false, false, Omit),
            (Holder::Value, string, false, false, false, Keep),
            (Holder::Value, Kind::Bool, false, true, false, Omit),
            (Holder::Value, Kind::Message, true, false, false, Keep),
            (Holder::Value, Kind::Message, true, true, false, Omit),
            (Holder::Value, time, true, false, false, Keep),
            (Holder::Value, time, true, true, false, Omit),
            (Holder::Value, Kind::Bytes, true, false, false, Omit),
            (Holder::Value, Kind::Bytes, false, false, false, Nil),
            (Holder::Pointer, string, true, false, true, Opt),
            (Holder::Pointer, string, false, false, true, Nil),
            (Holder::Pointer, time, false, true, true, Opt),
            (Holder::Slice, string, true, false, false, Omit),
            (Holder::Slice, Kind::Message, false, false, false, Nil),
            (Holder::Map, string, false, false, false, Nil),
        ] {
            let bare = TypeRef::Primitive(Primitive::Bool);
            let fact = fact(holder, kind, omit_empty, omit_zero);
            let (ty, found) = hold(bare, false, Some(&fact), Demand::Required);
            assert_eq!(
                (matches!(ty, TypeRef::Option(_)), found),
                (option, presence),
                "{fact:?}"
            );
        }
    }

    #[test]
    fn schemas_decide_without_facts() {
        let bare = TypeRef::Runtime("RawJson");
        let boxed = TypeRef::Option(Box::new(TypeRef::Boxed(Box::new(bare.clone()))));
        let plain = TypeRef::Option(Box::new(bare.clone()));
        for (message, demand, expected) in [
            (true, Demand::Required, (bare.clone(), Presence::Keep)),
            (true, Demand::Optional, (boxed.clone(), Presence::Opt)),
            (true, Demand::RequiredNullable, (boxed, Presence::Null)),
            (false, Demand::Optional, (plain, Presence::Opt)),
        ] {
            assert_eq!(hold(bare.clone(), message, None, demand), expected);
        }
    }
}
