// The site of this repository's own pages (docs/site.md). Pages stay where they are; links out of them lead to the
// repository's files as they are.

import { readFileSync } from 'node:fs';
import { pageOf } from '../../page.js';

/** `[title, name]` of each, as the table of stories has them. */
const STORIES = Array.from(
  readFileSync(new URL('../../../docs/stories/README.md', import.meta.url), 'utf8').matchAll(
    /^\| \[(.+?)\]\((.+?)\.md\)/gm,
  ),
  ([, title, name]) => [title, name],
);
const COMMANDS = ['diagram', 'messages', 'summary', 'explain', 'export', 'docs', 'completion', 'options'];
const USING = [
  'install',
  'capturing',
  'decrypting',
  'scale',
  'systems',
  'diagrams',
  'html',
  'diff',
  'check',
  'object',
  'keys',
  'record',
  'live',
  'data-model',
  'library',
  'browser',
  'messages',
  'export',
  'etcd',
  'cri',
  'registry',
  'exec',
  'services',
  'pod-network',
  'webhooks',
  'glossary',
  'notices',
  'limits',
];
const WORKING = ['architecture', 'dependencies', 'other-tools', 'performance', 'causes', 'site'];

const page = (path) => ({ text: path.split('/').pop(), link: `/docs/${path}` });

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
    sidebar: [
      { text: 'Stories', items: STORIES.map(([text, name]) => ({ text, link: `/docs/stories/${name}` })) },
      { text: 'Commands', items: COMMANDS.map((name) => page(`commands/${name}`)) },
      { text: 'Using kubeseq', items: USING.map(page) },
      { text: 'Working on it', items: WORKING.map(page) },
    ],
  },
};
