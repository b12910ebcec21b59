//! Reviews as servers send them, whole and broken.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::*;
use crate::dynamic::DynamicObject;
use crate::field::{InvalidFields, Path};
use crate::generated::*;
use crate::record;
use crate::record::{KEEP, OMIT};
use crate::wire::{Format, Wire as _};

macro_rules! version {
    ($name:ident $api_version:literal $field:ident $json:literal) => {
        #[derive(Clone, Default)]
        struct $name {
            metadata: ObjectMeta,
            $field: Str,
        }
        record! { $name = $api_version "Thing" {
            0 metadata "metadata" [] KEEP;
            1 $field $json [] OMIT;
        } }
        impl Resource for $name {
            type Scope = Namespaced;
            const GROUP: &'static str = "example.com";
            const VERSION: &'static str = "v1";
            const API_VERSION: &'static str = $api_version;
            const KIND: &'static str = "Thing";
            const PLURAL: &'static str = "things";
            const SINGULAR: &'static str = "thing";
            fn metadata(&self) -> &ObjectMeta {
                &self.metadata
            }
            fn metadata_mut(&mut self) -> &mut ObjectMeta {
                &mut self.metadata
            }
        }
    };
}
version!(One "example.com/v1" old "old");
version!(Two "example.com/v2" middle "middle");
version!(Three "example.com/v3" new "new");

fn review(operation: &str, object: Value, old: Value) -> Vec<u8> {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u-1", "kind": {"group": "example.com", "version": "v1", "kind": "Thing"},
        "resource": {"group": "example.com", "version": "v1", "resource": "things"}, "name": "a",
        "namespace": "web", "operation": operation, "userInfo": {"username": "jane", "groups": ["g"]},
        "object": object, "oldObject": old, "dryRun": false, "options": {"kind": "CreateOptions"}}})
    .to_string()
    .into_bytes()
}

fn response(answer: &[u8]) -> Value {
    let answer: Value = serde_json::from_slice(answer).unwrap();
    assert_eq!(answer["apiVersion"], "admission.k8s.io/v1");
    assert_eq!(answer["kind"], "AdmissionReview");
    answer["response"].clone()
}

#[test]
fn broken_reviews_are_answered_with_a_refusal_of_the_right_version() {
    let rows: [(&[u8], &str); 5] = [
        (b"", "no JSON"),
        (b"[1]", "is no AdmissionReview"),
        (br#"{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{"uid":"7"}}"#, "v1beta1"),
        (br#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}"#, "no request"),
        (
            br#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"7","name":[]}}"#,
            "cannot be read",
        ),
    ];
    for (body, expected) in rows {
        let response = response(&validate::<One>(body, |_, _, _| Ok(())));
        assert_eq!(
            (&response["allowed"], &response["status"]["code"]),
            (&json!(false), &json!(400))
        );
        let message = response["status"]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{message}");
        let uid = if body.windows(9).any(|part| part == br#""uid":"7""#) {
            "7"
        } else {
            ""
        };
        assert_eq!(response["uid"], uid);
    }
}

#[test]
fn checks_see_both_objects_and_refusals_name_fields() {
    let (new, old) = (
        json!({"metadata": {"name": "a"}, "old": "x"}),
        json!({"metadata": {"name": "a"}, "old": "y"}),
    );
    let check = |new: Option<&One>, old: Option<&One>, request: &AdmissionRequest| {
        let mut errors = InvalidFields::default();
        assert_eq!(request.user_info.username, "jane");
        if let (Some(new), Some(old)) = (new, old)
            && new.old != old.old
        {
            errors.forbidden(&Path::new("old"), "cannot be changed");
        }
        errors.into_result()
    };
    let update = response(&validate(&review("UPDATE", new.clone(), old.clone()), check));
    assert_eq!(
        (&update["uid"], &update["allowed"]),
        (&json!("u-1"), &json!(false))
    );
    assert_eq!(update["status"]["code"], 422);
    assert_eq!(
        update["status"]["details"]["causes"][0]["reason"],
        "FieldValueForbidden"
    );
    assert_eq!(update["status"].get("kind"), None);
    for (operation, new, old) in [("CREATE", new, Value::Null), ("DELETE", Value::Null, old)] {
        let fine = response(&validate(&review(operation, new, old), check));
        assert_eq!(fine, json!({"uid": "u-1", "allowed": true}));
    }
    let odd = response(&validate(
        &review("CREATE", json!({"old": {}}), Value::Null),
        check,
    ));
    assert_eq!(odd["status"]["code"], 400);
}

#[test]
fn changes_are_patched_into_what_the_server_has() {
    let raw = json!({"metadata": {"name": "a", "unheardOf": 1}, "extra": {"b": [1]}});
    let answer = mutate(
        &review("CREATE", raw.clone(), Value::Null),
        |thing: &mut One, _| {
            thing.old = "x".into();
            thing.metadata.labels.insert("team".into(), "web".into());
            Ok(())
        },
    );
    let answer = response(&answer);
    assert_eq!(
        (&answer["allowed"], &answer["patchType"]),
        (&json!(true), &json!("JSONPatch"))
    );
    let patch = STANDARD.decode(answer["patch"].as_str().unwrap()).unwrap();
    let patch: json_patch::Patch = serde_json::from_slice(&patch).unwrap();
    let mut patched = raw;
    json_patch::patch(&mut patched, &patch).unwrap();
    assert_eq!(
        patched,
        json!({"metadata": {"name": "a", "unheardOf": 1, "labels": {"team": "web"}}, "extra": {"b": [1]}, "old": "x"})
    );
    let same = mutate(
        &review("CREATE", json!({"metadata": {"name": "a"}}), Value::Null),
        |_: &mut One, _| Ok(()),
    );
    assert_eq!(response(&same), json!({"uid": "u-1", "allowed": true}));
    let deletion = mutate(
        &review("DELETE", Value::Null, json!({})),
        |_: &mut One, _| unreachable!(),
    );
    assert_eq!(response(&deletion)["allowed"], true);
}

#[test]
fn lists_of_one_length_are_changed_item_by_item() {
    let mut raw = json!({"list": [{"a": 1, "own": 1}, {"a": 2}], "gone": 1, "short": [1]});
    let before = json!({"list": [{"a": 1}, {"a": 2}], "gone": 1, "short": [1], "zero": 0});
    let after = json!({"list": [{"a": 5}, {"a": 2}], "short": [1, 2], "zero": 0, "null": null});
    overlay::overlay(&mut raw, &before, &after);
    assert_eq!(
        raw,
        json!({"list": [{"a": 5, "own": 1}, {"a": 2}], "short": [1, 2], "null": null})
    );
}

#[tokio::test]
async fn handlers_may_wait_and_fail() {
    let body = review("CREATE", json!({"metadata": {"name": "a"}}), Value::Null);
    let answer = serve(&body, |request: AdmissionRequest| async move {
        tokio::task::yield_now().await;
        let object = request.dynamic_object().unwrap().unwrap();
        let words = format!("{} {}", object.metadata.name, String::from(request.operation));
        Ok::<_, String>(AdmissionResponse::deny(words).warning("careful").audit("k", "v"))
    });
    let response_of = response(&answer.await);
    assert_eq!(response_of["status"]["message"], "a CREATE");
    assert_eq!(response_of["warnings"], json!(["careful"]));
    assert_eq!(response_of["auditAnnotations"], json!({"k": "v"}));
    let failed = serve(&body, |_| async { Err::<AdmissionResponse, _>("no database") }).await;
    assert_eq!(response(&failed)["status"]["code"], 500);
}

fn converter() -> Converter {
    Converter::new()
        .with(|one: One| {
            Ok::<_, String>(Two {
                metadata: one.metadata,
                middle: one.old,
            })
        })
        .with(|two: Two| {
            if two.middle.is_empty() {
                return Err("there is no middle".to_owned());
            }
            // A function that forgets all metadata.
            Ok(Three {
                metadata: ObjectMeta::default(),
                new: two.middle,
            })
        })
}

#[test]
fn objects_are_converted_by_way_of_other_versions() {
    let mut object = DynamicObject::new("example.com/v1", "Thing", "a").within("web");
    object.metadata.uid = "u".into();
    object.set("/old", "x").unwrap();
    let request = |objects: Vec<&DynamicObject>, to: &str| {
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {"uid": "9",
            "desiredAPIVersion": to, "objects": objects}})
    };
    let serve = |review: Value| -> Value {
        serde_json::from_slice(&converter().serve(review.to_string().as_bytes())).unwrap()
    };
    let answer = serve(request(vec![&object, &object], "example.com/v3"));
    assert_eq!(answer["kind"], "ConversionReview");
    assert_eq!(answer["response"]["result"], json!({"status": "Success"}));
    let converted = json!({"apiVersion": "example.com/v3", "kind": "Thing", "new": "x",
        "metadata": {"name": "a", "namespace": "web", "uid": "u"}});
    assert_eq!(
        answer["response"]["convertedObjects"],
        json!([converted, converted])
    );
    let same = serve(request(vec![&object], "example.com/v1"));
    assert_eq!(same["response"]["convertedObjects"][0]["old"], "x");

    object.set("/old", "").unwrap();
    for (review, expected) in [
        (request(vec![&object], "example.com/v3"), "there is no middle"),
        (
            request(vec![&object], "example.com/v4"),
            "cannot be converted to example.com/v4",
        ),
        (json!({"kind": "ConversionReview"}), "is no ConversionReview"),
        (
            json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}),
            "no request",
        ),
    ] {
        let answer = serve(review);
        assert_eq!(answer["response"]["result"]["status"], "Failure");
        let message = answer["response"]["result"]["message"].as_str().unwrap();
        assert!(message.contains(expected), "{message}");
    }
    assert!(format!("{:?}", converter()).contains("example.com/v3"));
    assert_eq!(One::decode(Format::Json, b"{}").unwrap(), One::default());
}
