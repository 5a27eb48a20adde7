{% materialization seed, adapter='penstock' %}
  {%- set target = this.incorporate(type='table') -%}
  {%- set rows = load_agate_table() -%}
  {%- do store_result('agate_table', response='OK', agate_table=rows) -%}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
  {% do adapter.write_seed(target, rows, model['config'].get('column_types', {})) %}
  {% call noop_statement('main', 'INSERT ' ~ (rows.rows | length), 'INSERT', rows.rows | length) -%}
  {%- endcall %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}
