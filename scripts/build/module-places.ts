import { readFileSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import type { Plugin } from "esbuild";

/** What a bundle has in place of what a module says of its own place. */
const names = {
	"import.meta.url": "__urlOfModule",
	"import.meta.filename": "__filenameOfModule",
	"import.meta.dirname": "__dirnameOfModule",
};
const asked = new RegExp(Object.keys(names).join("|"));
const namespace = "place";

/**
 * A plugin of esbuild: modules find files beside them by `import.meta.url`. In a bundle it stays what it was: the address of a file that
 * stands where the module's own would, below the directory of all outputs. So does the path.
 *
 * @param chunks directory below that of the outputs where what several share is put
 */
export function modulePlaces(chunks: string): Plugin {
	return {
		name: "module-places",
		setup({ initialOptions, onLoad, onResolve }) {
			initialOptions.define = { ...initialOptions.define, ...names };
			onResolve({ filter: /^place:/ }, ({ path }) => ({ path: path.slice("place:".length), namespace }));
			onLoad({ filter: /\.ts$/ }, ({ path }) => {
				const text = readFileSync(path, "utf8");
				if (!asked.test(text)) return undefined;
				const file = relative(initialOptions.absWorkingDir ?? resolve("."), path)
					.split(sep)
					.join("/")
					.replace(/\.ts$/, ".js");
				return { contents: `${text}\nimport { ${Object.values(names).join(", ")} } from "place:${file}";\n`, loader: "ts" };
			});
			// Every entry shares the root, so that it stands among the chunks.
			onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: path === "root" ? toRoot(chunks) : toPlace(path) }));
		},
	};
}

/** Here `import.meta` is that of the output: it is not spelled as what is replaced. */
function toRoot(chunks: string): string {
	return `
		const { url } = import.meta;
		export const root = new URL("${"../".repeat(chunks.split("/").length)}", url);`;
}

function toPlace(file: string): string {
	return `
		import { dirname } from "node:path";
		import { fileURLToPath } from "node:url";
		import { root } from "place:root";
		export const ${names["import.meta.url"]} = new URL(${JSON.stringify(file)}, root).href;
		export const ${names["import.meta.filename"]} = fileURLToPath(${names["import.meta.url"]});
		export const ${names["import.meta.dirname"]} = dirname(${names["import.meta.filename"]});`;
}
