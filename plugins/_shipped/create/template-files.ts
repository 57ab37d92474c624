import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type PackageNames, toIdentifier } from "./package-names.ts";

/** Kinds of packages that `svc create` makes. */
export const packageKinds = ["runner", "auth-backend", "storage", "event-bus", "sensor", "feature", "project", "pack"] as const;

export type PackageKind = (typeof packageKinds)[number];

export interface NewFile {
	/** Path relative to the directory of the package. */
	readonly path: string;
	readonly text: string;
	/** True if the file must be executable. */
	readonly isProgram: boolean;
}

interface Manifest {
	readonly version: string;
	readonly devDependencies: Readonly<Record<string, string>>;
}

/**
 * Final names of template files. The templates have other names, because npm would not publish a file or would read it under its final
 * name.
 */
const realNames: Readonly<Record<string, string>> = { gitignore: ".gitignore", "package-template.json": "package.json" };

/** Words of the templates that a new package replaces. */
const placeholders = /template-package|template-name|template-kind|templateName|TemplateName|template_name|template_note/g;

/** Returns the files of a new package that will be created in `directory`. */
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
		TemplateName: `${identifier.charAt(0).toUpperCase()}${identifier.slice(1)}`,
		template_name: names.pack,
		template_note: names.note,
	};
	const replace = (text: string) => text.replace(placeholders, (word) => words[word] ?? word);
	return files.map(({ path, text, isProgram }) => {
		const replaced = replace(text);
		return { path: replace(path), text: path === "package.json" ? withVersions(replaced, root, directory) : replaced, isProgram };
	});
}

/** Returns the directory of this package, which contains the templates. */
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

/** Returns a `package.json` with the versions that this service is built with. */
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

interface Installed {
	/** Source of the installation: an address, or `file:` and a path from the project. npm may leave out the address of a registry. */
	readonly resolved?: string;
}

/**
 * Returns the version or path by which a new package in `directory` depends on this service, which is installed in `root`. It is a version
 * if this copy was installed from a registry. Otherwise it is this copy if the project around it contains the new package. If not, it is
 * the package file that this copy was installed from, because a copy that npx installed may be deleted later.
 */
export function toServiceDependency(root: string, directory: string, version: string): string {
	const modules = dirname(root);
	const project = dirname(modules);
	const installed = basename(modules) === "node_modules" ? readInstalled(modules, basename(root)) : undefined;
	const here = `file:${relative(directory, root)}`;
	if (installed === undefined) return here;
	const { resolved } = installed;
	if (resolved === undefined || /\/-\/[^/]+\.tgz$/.test(resolved)) return `^${version}`;
	if (!resolved.startsWith("file:")) return resolved;
	const file = resolve(project, resolved.slice("file:".length));
	const isAround = !relative(project, directory).startsWith("..");
	return isAround || !existsSync(file) ? here : `file:${relative(directory, file)}`;
}

/** Returns npm's record of the installation. Returns undefined if npm did not install the package. */
function readInstalled(modules: string, name: string): Installed | undefined {
	try {
		const { packages } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")) as {
			readonly packages: Readonly<Record<string, Installed>>;
		};
		return packages[`node_modules/${name}`];
	} catch {
		return undefined;
	}
}
