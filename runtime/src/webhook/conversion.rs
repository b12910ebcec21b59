//! [`Converter`]: objects of one version as objects of another.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::dynamic::DynamicObject;
use crate::resource::Resource;
use crate::value::Str;

const API_VERSION: &str = "apiextensions.k8s.io/v1";
const KIND: &str = "ConversionReview";

type Convert = dyn Fn(&DynamicObject) -> Result<DynamicObject, ConversionError> + Send + Sync;

/// An object that could not be converted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionError(String);

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConversionError {}

/// Functions between the versions of a kind, and the answer to `ConversionReview`s with them.
///
/// Each function leads from one version to another; a conversion for which there is none goes by way of others, the
/// shortest one. With two functions for each version, to and from a common one, every conversion is possible.
///
/// Names, UID and other metadata stay as they are; labels and annotations are those of the converted object.
///
/// ```
/// use kubeloom::webhook::Converter;
/// # use kubeloom::resource::Resource;
/// # fn example<V1: Resource + Default, V2: Resource + Default>() {
/// let converter = Converter::new()
///     .with(|old: V1| Ok::<_, String>(V2::default()))
///     .with(|new: V2| Ok::<_, String>(V1::default()));
/// let answer: Vec<u8> = converter.serve(b"{}");
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Converter {
    steps: Vec<Step>,
}

#[derive(Clone)]
struct Step {
    from: (&'static str, &'static str),
    to: &'static str,
    convert: Arc<Convert>,
}

impl fmt::Debug for Converter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.steps.iter().map(|step| (step.from.1, step.from.0, step.to));
        f.debug_list().entries(steps).finish()
    }
}

impl Converter {
    /// Without functions: each object is of the right version already, or an error.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a function from one version of a kind to another.
    #[must_use]
    pub fn with<A, B, E>(mut self, convert: impl Fn(A) -> Result<B, E> + Send + Sync + 'static) -> Self
    where
        A: Resource,
        B: Resource,
        E: fmt::Display,
    {
        let convert = move |object: &DynamicObject| {
            let fail = |error: &dyn fmt::Display| ConversionError(error.to_string());
            let typed: A = object.to_typed().map_err(|error| fail(&error))?;
            let converted = convert(typed).map_err(|error| fail(&error))?;
            DynamicObject::from_typed(&converted).map_err(|error| fail(&error))
        };
        self.steps.push(Step {
            from: (A::API_VERSION, A::KIND),
            to: B::API_VERSION,
            convert: Arc::new(convert),
        });
        self
    }

    /// One object as one of another version, such as `demo.example.com/v2`.
    ///
    /// # Errors
    /// There is no way to the version, or a function on it failed.
    pub fn convert(&self, object: &DynamicObject, to: &str) -> Result<DynamicObject, ConversionError> {
        let mut current = object.clone();
        for step in self.way(object, to)? {
            let mut metadata = current.metadata.clone();
            let next = (step.convert)(&current).map_err(|error| {
                let name = &object.metadata.name;
                ConversionError(format!(
                    "{} {name} from {} to {}: {error}",
                    object.kind, step.from.0, step.to
                ))
            })?;
            metadata.labels = next.metadata.labels.clone();
            metadata.annotations = next.metadata.annotations.clone();
            current = DynamicObject { metadata, ..next };
        }
        Ok(current)
    }

    /// The shortest way from the version of the object.
    fn way(&self, object: &DynamicObject, to: &str) -> Result<Vec<&Step>, ConversionError> {
        let from = object.api_version.as_str();
        let mut seen: Vec<&str> = vec![from];
        let mut open: VecDeque<(&str, Vec<&Step>)> = VecDeque::from([(from, Vec::new())]);
        while let Some((at, way)) = open.pop_front() {
            if at == to {
                return Ok(way);
            }
            for step in self
                .steps
                .iter()
                .filter(|step| step.from == (at, object.kind.as_str()))
            {
                if !seen.contains(&step.to) {
                    seen.push(step.to);
                    let mut way = way.clone();
                    way.push(step);
                    open.push_back((step.to, way));
                }
            }
        }
        Err(ConversionError(format!(
            "{} {from} cannot be converted to {to}",
            object.kind
        )))
    }

    /// Answers a `ConversionReview` of `apiextensions.k8s.io/v1`. One object that cannot be converted fails the review,
    /// and the server's call with it.
    #[must_use]
    pub fn serve(&self, body: &[u8]) -> Vec<u8> {
        let review: Value = serde_json::from_slice(body).unwrap_or_default();
        let uid = review
            .pointer("/request/uid")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let response = match self.review(&review) {
            Ok(objects) => json!({"uid": uid, "convertedObjects": objects, "result": {"status": "Success"}}),
            Err(error) => {
                json!({"uid": uid, "convertedObjects": [], "result": {"status": "Failure", "message": error.0}})
            }
        };
        json!({"apiVersion": API_VERSION, "kind": KIND, "response": response})
            .to_string()
            .into_bytes()
    }

    fn review(&self, review: &Value) -> Result<Vec<DynamicObject>, ConversionError> {
        let text = |key: &str| review.get(key).and_then(Value::as_str).unwrap_or_default();
        if (text("apiVersion"), text("kind")) != (API_VERSION, KIND) {
            let found = format!("{} {}", text("apiVersion"), text("kind"));
            return Err(ConversionError(format!(
                "{found:?} is no {KIND} of {API_VERSION}"
            )));
        }
        let to = review
            .pointer("/request/desiredAPIVersion")
            .and_then(Value::as_str);
        let objects = review.pointer("/request/objects").and_then(Value::as_array);
        let (Some(to), Some(objects)) = (to, objects) else {
            return Err(ConversionError(
                "the review has no request with a version and objects".to_owned(),
            ));
        };
        let read = |object: &Value| {
            let object = DynamicObject::deserialize(object);
            object.map_err(|error| ConversionError(format!("an object cannot be read: {error}")))
        };
        objects
            .iter()
            .map(|object| {
                let mut converted = self.convert(&read(object)?, to)?;
                converted.api_version = Str::from(to);
                Ok(converted)
            })
            .collect()
    }
}
