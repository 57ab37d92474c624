import { existsSync, readdirSync, readFileSync } from "node:fs";
import { run } from "../run.ts";
import { findExportProblems, type PackageExports } from "./check-exports.ts";
import { findTypeProblems } from "./check-types.ts";

/** What the published package may hold: the built code, the manual, the examples, what `svc create` copies. */
const expected = [
	/^(package\.json|README\.md|LICENSE|(?:CHANGELOG|SECURITY)\.md|svc\.config\.ts)$/,
	/^dist\/(core|plugins|plugins-auth|plugins-runner)\/.+\.(js|d\.ts)$/,
	/^dist\/chunks\/[\w-]+\.js$/,
	/^dist\/(plugins-runner\/python-script|plugins\/pack-compatibility)\/python\/.+\.py$/,
	/^dist\/plugins\/feature-web-ui\/web\/(index\.html|[\w-]+\.(js|css|svg)\.br)$/,
	/^dist\/openapi\.json$/,
	/^dist\/schemas\/[a-z-]+\.json$/,
	/^docs\/.+\.(md|svg)$/,
	/^examples\/templates\/[^/]+\/(gitignore|.+\.(ts|json|md|yaml|yaml\.example|sh|py))$/,
	/^examples\/[^/]+\/(Procfile|Containerfile|(?!.*\.test\.ts$).+\.(ts|mjs|md|ya?ml|json|conf|service|sh|py|txt))$/,
];

interface Manifest {
	readonly exports: PackageExports;
	readonly dependencies: Readonly<Record<string, string>>;
}

/** What is wrong with what would be published: files nobody expects, exports that are not exact, types that lead outside. */
export async function checkPackage(): Promise<string[]> {
	const { code, output } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"]);
	if (code !== 0) return [output.trim()];
	const [packed] = JSON.parse(output.slice(output.indexOf("[\n"))) as { files: { path: string }[] }[];
	const files = new Set(packed?.files.map(({ path }) => path));
	const { exports, dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
	const read = (file: string) => (files.has(file) ? readFileSync(file, "utf8") : undefined);
	const declarations = [...files].filter((file) => /^dist\/.+\.d\.ts$/.test(file));
	return [
		...[...files].filter((file) => !expected.some((pattern) => pattern.test(file))).map((file) => `npm pack would publish ${file}`),
		...findExportProblems(exports, { plugins: findPlugins(), files }),
		...findTypeProblems(exports, { packages: Object.keys(dependencies), declarations, read }),
	];
}

/** Folders of plugins: those without an underscore, which is for what plugins share. */
function findPlugins(): string[] {
	return ["plugins", "plugins-auth", "plugins-runner"].flatMap((group) =>
		readdirSync(group)
			.filter((name) => !name.startsWith("_") && existsSync(`${group}/${name}/index.ts`))
			.map((name) => `${group}/${name}`),
	);
}
