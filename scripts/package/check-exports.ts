/** `exports` of package.json: a file, or one for types and one for code. */
export type PackageExports = Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;

/** What is in the project and in the package. */
export interface PackageContents {
	/** Folders of plugins, such as `plugins/storage-memory`. */
	readonly plugins: readonly string[];
	/** Every file of the package. */
	readonly files: ReadonlySet<string>;
}

/** Why `exports` is not exact: a plugin that is left out, a path that leads nowhere, a pattern, which opens more than is meant. */
export function findExportProblems(exports: PackageExports, { plugins, files }: PackageContents): string[] {
	const forgotten = plugins.filter((plugin) => exports[`./${plugin}`] === undefined);
	const paths = Object.entries(exports);
	return [
		...forgotten.map((plugin) => `package.json exports: "./${plugin}" is missing`),
		...paths
			.filter(([path]) => path.includes("*"))
			.map(([path]) => `package.json exports: "${path}" is a pattern, which also matches what lies deeper; list each path`),
		...paths.flatMap(([path, target]) =>
			(typeof target === "string" ? [target] : [target.types, target.default])
				.filter((file) => !files.has(file.replace("./", "")))
				.map((file) => `package.json exports: "${path}" leads to ${file}, which is not in the package; hint: npm run build`),
		),
	];
}
