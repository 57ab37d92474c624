import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type PackageNames, toIdentifier } from "./package-names.ts";
import { toServiceDependency } from "./service-dependency.ts";

/** What `svc create` makes. */
export const packageKinds = ["runner", "auth-backend", "storage", "event-bus", "sensor", "project", "pack"] as const;

export type PackageKind = (typeof packageKinds)[number];

export interface NewFile {
	/** Relative to the directory of the package. */
	readonly path: string;
	readonly text: string;
	/** Whether it can be run. */
	readonly isProgram: boolean;
}

interface Manifest {
	readonly version: string;
	readonly devDependencies: Readonly<Record<string, string>>;
}

/** Names that npm would not publish, or would read, if the templates had them. */
const realNames: Readonly<Record<string, string>> = { gitignore: ".gitignore", "package-template.json": "package.json" };

/** Files of a new package that will be in `directory`. */
export function toPackageFiles(kind: PackageKind, names: PackageNames, directory: string): NewFile[] {
	const root = findRoot();
	const folders = kind === "project" || kind === "pack" ? [kind] : ["plugin", kind];
	const files = folders.flatMap((folder) => readTemplate(join(root, "examples", "templates", folder)));
	const identifier = toIdentifier(
		names,
		kind,
		files.map(({ text }) => text),
	);
	const words: Readonly<Record<string, string>> = {
		"template-package": names.package,
		"template-name": names.plugin,
		"template-kind": kind,
		templateName: identifier,
		template_name: names.pack,
	};
	const replace = (text: string) =>
		text.replace(/template-package|template-name|template-kind|templateName|template_name/g, (word) => words[word] ?? word);
	return files.map(({ path, text, isProgram }) => {
		const replaced = replace(text);
		return { path: replace(path), text: path === "package.json" ? withVersions(replaced, root, directory) : replaced, isProgram };
	});
}

/** The directory of this package, with the templates in it. */
function findRoot(): string {
	return dirname(fileURLToPath(import.meta.resolve("svc-automation/package.json")));
}

function readTemplate(folder: string): NewFile[] {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => {
			const file = join(entry.parentPath, entry.name);
			const path = relative(folder, join(entry.parentPath, realNames[entry.name] ?? entry.name));
			return { path, text: readFileSync(file, "utf8"), isProgram: entry.name.endsWith(".sh") };
		})
		.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** A `package.json` with the versions that this service is built with. */
function withVersions(text: string, root: string, directory: string): string {
	const { version, devDependencies }: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
	const manifest: Record<string, unknown> = JSON.parse(text);
	const service = toServiceDependency(root, directory, version);
	const toVersions = (field: string, ofService: string) => {
		const names = Object.keys((manifest[field] ?? {}) as object);
		if (names.length > 0)
			manifest[field] = Object.fromEntries(
				names.map((name) => [name, name === "svc-automation" ? ofService : `^${devDependencies[name]}`]),
			);
	};
	toVersions("peerDependencies", `^${version}`);
	toVersions("dependencies", service);
	toVersions("devDependencies", service);
	return `${JSON.stringify(manifest, undefined, "\t")}\n`;
}
