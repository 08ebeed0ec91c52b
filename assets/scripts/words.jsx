// Sentences come from the server with places to fill: "Viste {shown} de {total}".

export const fill = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
