import { existsSync } from "node:fs";
import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Take optional packages of the package out of a project; what is given puts them back. */
export async function hidePackages(directory: string, isHidden: (name: string) => boolean): Promise<() => Promise<void>> {
	const manifest = await readFile(join(directory, "node_modules/svc-automation/package.json"), "utf8");
	const { optionalDependencies } = JSON.parse(manifest) as { readonly optionalDependencies: Readonly<Record<string, string>> };
	const names = Object.keys(optionalDependencies).filter((name) => isHidden(name) && existsSync(join(directory, "node_modules", name)));
	const move = async (from: string, to: string) => {
		for (const name of names) {
			await mkdir(dirname(join(directory, to, name)), { recursive: true });
			await rename(join(directory, from, name), join(directory, to, name));
		}
	};
	await move("node_modules", "hidden");
	return () => move("hidden", "node_modules");
}
