//! Renders a verdict: text, JSON, JUnit, HTML, Markdown.
