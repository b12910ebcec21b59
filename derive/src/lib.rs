//! `#[derive(Resource)]` for Kubeloom.
