import { bundle, findEntries } from "./bundle.ts";
import { makeDeclarations } from "./declarations.ts";
import { removeOthers } from "./files.ts";
import { copyPython } from "./python.ts";
import { buildWeb } from "./web.ts";
import { writeDescriptions } from "./write-descriptions.ts";

// Makes what is published, in `dist`: `npm run build`.
const made = [
	...makeDeclarations(),
	...(await bundle({ entries: findEntries(), outdir: "dist" })),
	...copyPython(),
	...(await buildWeb()),
	...(await writeDescriptions()),
];
removeOthers("dist", new Set(made));
