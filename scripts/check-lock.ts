import { readFileSync } from "node:fs";

interface Lock {
	readonly packages: Readonly<Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>>;
}

/**
 * Packages for other platforms that the lock file has lost. A registry that does not hold all of them makes `npm install` leave
 * them out without a word, and `npm ci` then refuses the lock file everywhere.
 */
export async function checkLock(): Promise<string[]> {
	const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lock;
	const names = new Set(Object.keys(packages).map((path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)));
	return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
		Object.keys(optionalDependencies)
			.filter((name) => !names.has(name))
			.map((name) => `package-lock.json has lost ${name}, which ${path || "package.json"} may use`),
	);
}
