// The site of this repository's own pages (docs/site.md). Pages stay where they are; links out of them lead to the
// repository's files as they are.

const STORIES = [
  ['Run a Pod', 'run-a-pod'],
  ['A Deployment', 'deployment'],
  ['A StatefulSet and its volumes', 'statefulset'],
  ['A Pod and its volume', 'volumes'],
  ['Why a Pod does not start', 'not-starting'],
  ['Why a Pod had to go', 'pods-that-go'],
  ['A Namespace comes and goes', 'namespace'],
  ["A controller of one's own", 'operator'],
  ['Logs, exec, port-forward', 'exec-logs-port-forward'],
  ['What a failure looks like', 'failure'],
  ['Where etcd and the runtime come in', 'etcd-and-runtime'],
];
const COMMANDS = ['diagram', 'messages', 'summary', 'explain', 'export', 'docs', 'completion', 'options'];
const USING = [
  'capturing',
  'decrypting',
  'scale',
  'pictures',
  'html',
  'diff',
  'check',
  'object',
  'keys',
  'record',
  'live',
  'data-model',
  'library',
  'messages',
  'export',
  'etcd',
  'cri',
  'registry',
  'exec',
  'services',
  'pod-network',
  'webhooks',
  'notices',
  'limits',
];
const WORKING = ['architecture', 'dependencies', 'other-tools', 'performance', 'site'];

const page = (path) => ({ text: path.split('/').pop(), link: `/docs/${path}` });

export default {
  title: 'kubeseq',
  description: 'Sequence diagrams of what really happened in a Kubernetes control plane',
  srcDir: '../..',
  outDir: '../../site',
  srcExclude: ['node_modules/**', 'fixtures/**', 'site/**', 'dist/**'],
  rewrites: { 'README.md': 'index.md', ':folder(.*)/README.md': ':folder/index.md' },
  // Links to files that are no pages: schemas, the licence, sources.
  ignoreDeadLinks: [/\/(?:LICENSE|NOTICE)$/, /\.json$/],
  markdown: {
    config(md) {
      const { fence } = md.renderer.rules;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info, content } = tokens[index];
        if (info.trim() !== 'mermaid') return fence(tokens, index, ...rest);
        return `<Mermaid text="${encodeURIComponent(content)}"></Mermaid>\n`;
      };
    },
  },
  themeConfig: {
    aside: false,
    search: { provider: 'local' },
    nav: [
      { text: 'Stories', link: '/docs/stories/' },
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
