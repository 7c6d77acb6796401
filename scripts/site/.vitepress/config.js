// The site of this repository's own pages (docs/site.md). Pages stay where they are; links out of them lead to the
// repository's files as they are.

import { readFileSync } from 'node:fs';
import { pageOf } from '../../page.js';

const textOf = (path) => readFileSync(new URL(`../../../docs/${path}`, import.meta.url), 'utf8');

/** The stories, as their table has them. */
const STORIES = linksIn(textOf('stories/README.md').replace(/^(?!\| \[).*$/gm, '')).map(({ text, link }) => ({
  text,
  link: link.replace('/docs/', '/docs/stories/'),
}));
/** Parts of docs/README.md in their order, each with its links; what stands above the first heading is the guide. */
const PARTS = textOf('README.md')
  .split(/^## /m)
  .map((part, i) => ({ text: i === 0 ? 'Guide' : part.split('\n', 1)[0], items: linksIn(part), collapsed: i > 0 }));
PARTS.splice(2, 0, { text: 'Stories', items: STORIES, collapsed: true });

/** Links of a text to pages below docs/, in their order. */
function linksIn(text) {
  return Array.from(text.matchAll(/\[([^\]]+)\]\(([\w/-]+)\.md\)/g), ([, title, name]) => ({
    text: title,
    link: `/docs/${name.replace(/README$/, '')}`,
  }));
}

export default {
  title: 'kubeseq',
  description: 'Sequence diagrams of what really happened in a Kubernetes control plane',
  srcDir: '../..',
  outDir: '../../site',
  srcExclude: ['**/node_modules/**', 'fixtures/**', 'site/**', 'dist/**'],
  rewrites: { 'README.md': 'index.md', ':folder(.*)/README.md': ':folder/index.md' },
  // Links to files that are no pages: schemas, the licence, fixtures, scripts.
  ignoreDeadLinks: [/\/(?:LICENSE|NOTICE)$/, /\.json$/, /\/fixtures(?:\/|$)/, /\/deploy\//],
  markdown: {
    config(md) {
      const { fence } = md.renderer.rules;
      // Two braces would begin an expression of Vue.
      for (const rule of ['code_inline', 'text']) {
        const render = md.renderer.rules[rule];
        md.renderer.rules[rule] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
      }
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info, content } = tokens[index];
        if (info.trim() !== 'mermaid') return fence(tokens, index, ...rest);
        return `<Mermaid text="${encodeURIComponent(content)}"></Mermaid>\n`;
      };
    },
  },
  vite: {
    plugins: [
      {
        name: 'tables-of-the-sources',
        enforce: 'pre',
        transform: (text, id) =>
          /<!-- made: ([\w-]+) -->/.test(text) && id.endsWith('.md') ? pageOf(RegExp.$1) : null,
      },
    ],
  },
  themeConfig: {
    aside: false,
    search: { provider: 'local' },
    nav: [
      { text: 'Stories', link: '/docs/stories/' },
      { text: 'Open a capture', link: '/open/index.html', target: '_self' },
      { text: 'Commands', link: '/docs/commands/' },
      { text: 'Documentation', link: '/docs/' },
    ],
    sidebar: PARTS,
  },
};
