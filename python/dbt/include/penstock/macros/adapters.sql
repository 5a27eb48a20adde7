{% macro penstock__current_timestamp() %}now(){% endmacro %}

{% macro penstock__create_table_as(temporary, relation, compiled_code, language='sql') %}
  {%- if language != 'sql' -%}
    {{ exceptions.raise_compiler_error("dbt-penstock has no models in Python") }}
  {%- elif temporary -%}
    CREATE OR REPLACE TABLE {{ relation }} AS (
      {{ compiled_code }}
    )
  {%- else -%}
    COPY (
      {{ compiled_code }}
    ) TO {{ adapter.table_file(relation) }} (FORMAT parquet)
  {%- endif -%}
{% endmacro %}

{% macro penstock__get_binding_char() %}{{ return('?') }}{% endmacro %}

{% macro penstock__get_catalog(information_schema, schemas) %}
  {{ return(run_query(adapter.catalog_query(schemas))) }}
{% endmacro %}
