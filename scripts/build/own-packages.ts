import type { Plugin } from "esbuild";

/** Packages in CommonJS require parts of Node, which a module has to be given. */
const banner = 'import { createRequire as toRequire } from "node:module"; const require = toRequire(import.meta.url);';

/** A plugin of esbuild: some packages, and what only they use, become parts of the code. All others stay where they are installed. */
export function ownPackages(names: readonly string[]): Plugin {
	const isOwn = (path: string) => names.some((name) => path === name || path.startsWith(`${name}/`));
	return {
		name: "own-packages",
		setup({ initialOptions, onResolve }) {
			initialOptions.packages = "bundle";
			initialOptions.banner = { js: banner };
			onResolve({ filter: /^[^./]/ }, ({ path, importer, namespace }) => {
				if (namespace !== "file" || path.startsWith("place:") || isOwn(path)) return undefined;
				return importer.includes("/node_modules/") ? undefined : { path, external: true };
			});
		},
	};
}
