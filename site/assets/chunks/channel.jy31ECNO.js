import{U as a,C as n}from"./mermaid.core.E3zs4Hbk.js";const t=(r,o)=>a.lang.round(n.parse(r)[o]);export{t as c};
