import { run } from "./run.ts";

/** What the published package may hold: the built code, the manual, the examples, what `svc create` copies. */
const expected = [
	/^(package\.json|README\.md|LICENSE|CHANGELOG\.md|svc\.config\.ts)$/,
	/^dist\/(core|plugins|plugins-auth|plugins-runner)\/.+\.(js|d\.ts|js\.map)$/,
	/^dist\/plugins-runner\/python-script\/python\/.+\.py$/,
	/^docs\/.+\.(md|svg)$/,
	/^templates\/[^/]+\/(gitignore|.+\.(ts|json|md|yaml|sh))$/,
	/^examples\/[^/]+\/(Procfile|.+\.(ts|mjs|md|yaml|conf|sh|py|txt))$/,
];

/** Files that would be published although nobody expects them. */
export async function checkPackage(): Promise<string[]> {
	const { code, output } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"]);
	if (code !== 0) return [output.trim()];
	const [manifest] = JSON.parse(output.slice(output.indexOf("[\n"))) as { files: { path: string }[] }[];
	const stray = (manifest?.files ?? []).map(({ path }) => path).filter((path) => !expected.some((pattern) => pattern.test(path)));
	return stray.map((path) => `npm pack would publish ${path}`);
}
