import{c as r,s as e}from"./flowDiagram-T62WH6J4.BEe9vH6m.js";import{_ as a}from"./mermaid.core.E3zs4Hbk.js";import"./chunk-5VM5RSS4.CMe6RxDN.js";import"./chunk-XXDRQBXY.Dth2UiHP.js";import"./chunk-POPQ4Y6H.BX8y1BOW.js";import"./chunk-F27PBJKO.Bxqx7xXZ.js";import"./channel.jy31ECNO.js";import"./framework.CTtmUx3x.js";var o=a(t=>`${e(t)}
  .swimlane.cluster rect {
    stroke: ${t.clusterBorder} !important;
  }
  [data-look="neo"].cluster rect {
    filter: none;
  }
`,"getStyles"),s=o,n=r({defaultLayout:"swimlane",styles:s});export{n as diagram};
