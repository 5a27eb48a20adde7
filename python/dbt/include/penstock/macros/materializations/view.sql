{# A view is a file of SQL. Its columns are looked up first, so that its errors come early. #}
{% materialization view, adapter='penstock' %}
  {%- set target = this.incorporate(type='view') -%}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
  {% call statement('main') -%}
    DESCRIBE {{ sql }}
  {%- endcall %}
  {% do adapter.keep_view(target, sql) %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}
