// The usual theme, and mermaid: texts are drawn in the reader's browser, by the mermaid that is part of the site.

import DefaultTheme from 'vitepress/theme';
import { defineComponent, h, onMounted, ref } from 'vue';
import './wide.css';

let drawn = 0;

const Mermaid = defineComponent({
  props: { text: { type: String, required: true } },
  setup(props) {
    const text = decodeURIComponent(props.text);
    const svg = ref('');
    onMounted(async () => {
      const { default: mermaid } = await import('mermaid');
      const theme = document.documentElement.classList.contains('dark') ? 'dark' : 'default';
      mermaid.initialize({ startOnLoad: false, theme, sequence: { useMaxWidth: true } });
      drawn += 1;
      svg.value = (await mermaid.render(`mermaid-${drawn}`, text)).svg;
    });
    return () =>
      svg.value === ''
        ? h('pre', { style: 'overflow-x: auto' }, text)
        : h('div', { class: 'mermaid', innerHTML: svg.value });
  },
});

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Mermaid', Mermaid);
  },
};
