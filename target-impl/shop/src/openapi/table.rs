//! Routes as rows of a table, and the document made from them.

use onsale_contract::problem::Problem;
use utoipa::openapi::path::{OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ComponentsBuilder, Object, Type};
use utoipa::openapi::{
    ContentBuilder, HttpMethod, OpenApi, OpenApiBuilder, PathsBuilder, Ref, RefOr, Required,
    ResponseBuilder, Schema,
};
use utoipa::{PartialSchema, ToSchema};

/// A type of the contract by its name, with all that it names.
#[derive(Clone, Copy)]
pub(super) struct Body {
    name: fn() -> String,
    collect: fn(&mut Vec<(String, RefOr<Schema>)>),
}

/// The body of that type.
pub(super) fn body<T: ToSchema + PartialSchema>() -> Body {
    Body {
        name: || T::name().into_owned(),
        collect: |all| {
            all.push((T::name().into_owned(), T::schema()));
            T::schemas(all);
        },
    }
}

/// One route.
pub(super) struct Row {
    pub(super) method: HttpMethod,
    pub(super) path: &'static str,
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    /// Names; required ones end with `!`.
    pub(super) headers: &'static [&'static str],
    pub(super) query: &'static [&'static str],
    pub(super) cookies: &'static [&'static str],
    pub(super) takes: Option<Body>,
    pub(super) status: u16,
    pub(super) gives: Option<Body>,
    pub(super) problems: &'static [u16],
}

/// The document of all rows.
pub(super) fn document(rows: &[Row]) -> OpenApi {
    let mut paths = PathsBuilder::new();
    let mut schemas = Vec::new();
    (body::<Problem>().collect)(&mut schemas);
    for row in rows {
        row.takes.iter().chain(&row.gives).for_each(|body| (body.collect)(&mut schemas));
        paths = paths.path(row.path, PathItem::new(row.method.clone(), operation(row)));
    }
    let components = schemas
        .into_iter()
        .fold(ComponentsBuilder::new(), |all, (name, schema)| all.schema(name, schema));
    OpenApiBuilder::new().paths(paths.build()).components(Some(components.build())).build()
}

fn operation(row: &Row) -> OperationBuilder {
    let id = format!(
        "{}_{}",
        row.tag,
        row.summary.to_lowercase().replace(|letter: char| !letter.is_alphanumeric(), "_")
    );
    let mut operation =
        OperationBuilder::new().tag(row.tag).summary(Some(row.summary)).operation_id(Some(id));
    let in_path = row.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    for name in in_path {
        operation = operation.parameter(parameter(&format!("{name}!"), ParameterIn::Path));
    }
    let others = [
        (row.headers, ParameterIn::Header),
        (row.query, ParameterIn::Query),
        (row.cookies, ParameterIn::Cookie),
    ];
    for (names, place) in others {
        for name in names {
            operation = operation.parameter(parameter(name, place.clone()));
        }
    }
    if let Some(takes) = row.takes {
        let content = ContentBuilder::new().schema(Some(reference(takes))).build();
        let request = RequestBodyBuilder::new()
            .content("application/json", content)
            .required(Some(Required::True));
        operation = operation.request_body(Some(request.build()));
    }
    let mut response = ResponseBuilder::new().description("Done");
    if let Some(gives) = row.gives {
        let content = ContentBuilder::new().schema(Some(reference(gives))).build();
        response = response.content("application/json", content);
    }
    operation = operation.response(row.status.to_string(), response.build());
    for status in row.problems {
        let content = ContentBuilder::new().schema(Some(reference(body::<Problem>()))).build();
        let problem = ResponseBuilder::new()
            .description("Refused")
            .content("application/problem+json", content);
        operation = operation.response(status.to_string(), problem.build());
    }
    operation
}

fn reference(body: Body) -> Ref {
    Ref::from_schema_name((body.name)())
}

fn parameter(name: &str, place: ParameterIn) -> Parameter {
    let required = if name.ends_with('!') { Required::True } else { Required::False };
    ParameterBuilder::new()
        .name(name.trim_end_matches('!'))
        .parameter_in(place)
        .required(required)
        .schema(Some(Object::with_type(Type::String)))
        .build()
}
