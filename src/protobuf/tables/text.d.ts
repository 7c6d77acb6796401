// The field tables are files of JSON, which esbuild and Vite give as text: most runs never parse the large one.
declare module '*.txt?raw' {
  const text: string;
  export default text;
}
