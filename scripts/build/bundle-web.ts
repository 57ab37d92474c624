import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Metafile, type Plugin } from "esbuild";

const source = "plugins/feature-web-ui/web";

/** A file of the web page. */
export interface WebFile {
	readonly name: string;
	readonly contents: Uint8Array;
	/** Whether it is loaded before anything is seen. */
	readonly isFirst: boolean;
}

/**
 * Sources of the project do nothing by being imported, save the first one: what the page does not use of the client and the contract stays
 * out of it. Parts of the contract that are for Node alone stay out with it, so their imports need not be found.
 */
const unusedStaysOut: Plugin = {
	name: "unused stays out",
	setup(plugins) {
		// Each source has its own copy of the texts that it uses: a page then loads neither the texts of other pages nor a file more for its own.
		plugins.onResolve({ filter: /\/texts\/[\w-]+\.ts$/ }, ({ path, resolveDir, importer }) => ({
			path: resolve(resolveDir, path),
			suffix: `?${basename(importer)}`,
			sideEffects: false,
		}));
		plugins.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ path, resolveDir }) => ({ path: resolve(resolveDir, path), sideEffects: false }));
		plugins.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
	},
};

/** Writes each text of the catalogue where it is used. Names and exports of several hundred texts would make the page 3 % larger (gzip). */
const textsInline: Plugin = {
	name: "texts inline",
	setup(plugins) {
		plugins.onLoad({ filter: /\/feature-web-ui\/web\/.*\.tsx?$/ }, async ({ path }) => {
			let contents = readFileSync(path, "utf8");
			for (const [, alias, file = ""] of contents.matchAll(/import \* as (\w+) from "([./]+\/texts\/[\w-]+\.ts)"/g)) {
				const texts: Readonly<Record<string, unknown>> = await import(pathToFileURL(resolve(dirname(path), file)).href);
				contents = contents.replace(new RegExp(`\\b${alias}\\.(\\w+)\\b`, "g"), (whole, name: string) =>
					typeof texts[name] === "string" ? JSON.stringify(texts[name]) : whole,
				);
			}
			return { contents, loader: path.endsWith("x") ? "tsx" : "ts" };
		});
	},
};

/** The web page, bundled: its files, and the page that loads them. */
export async function bundleWeb(): Promise<{ readonly files: readonly WebFile[]; readonly page: string }> {
	const { outputFiles, metafile } = await build({
		entryPoints: [`${source}/main.tsx`, `${source}/main.css`],
		outdir: "dist/plugins/feature-web-ui/web",
		bundle: true,
		splitting: true,
		format: "esm",
		target: "es2022",
		jsx: "automatic",
		jsxImportSource: "preact",
		minify: true,
		legalComments: "none",
		entryNames: "[name]-[hash]",
		chunkNames: "part-[hash]",
		write: false,
		metafile: true,
		logLevel: "warning",
		plugins: [unusedStaysOut, textsInline],
	});
	const first = findFirst(metafile);
	const files = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents, isFirst: first.has(basename(path)) }));
	const icon = readFileSync(`${source}/icon.svg`);
	const iconName = `icon-${createHash("sha256").update(icon).digest("hex").slice(0, 8)}.svg`;
	const nameOf = (end: string) => files.find(({ name }) => name.startsWith("main-") && extname(name) === end)?.name ?? "";
	const page = readFileSync(`${source}/template.html`, "utf8")
		.replace("%ICON%", iconName)
		.replace("%STYLE%", nameOf(".css"))
		.replace("%SCRIPT%", nameOf(".js"));
	return { files: [...files, { name: iconName, contents: icon, isFirst: true }], page };
}

/** Names of what the page loads by itself: the entries, and what they import at once. */
function findFirst({ outputs }: Metafile): ReadonlySet<string> {
	const first = new Set<string>();
	const add = (path: string) => {
		if (first.has(basename(path))) return;
		first.add(basename(path));
		for (const { path: imported, kind } of outputs[path]?.imports ?? []) if (kind === "import-statement") add(imported);
	};
	for (const [path, { entryPoint }] of Object.entries(outputs)) {
		if (entryPoint === `${source}/main.tsx` || entryPoint === `${source}/main.css`) add(path);
	}
	return first;
}
