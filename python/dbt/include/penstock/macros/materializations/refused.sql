{% materialization incremental, adapter='penstock' %}
  {{ exceptions.raise_compiler_error("dbt-penstock has no incremental models; materialize it as a table") }}
{% endmaterialization %}

{% materialization snapshot, adapter='penstock' %}
  {{ exceptions.raise_compiler_error("dbt-penstock has no snapshots") }}
{% endmaterialization %}
