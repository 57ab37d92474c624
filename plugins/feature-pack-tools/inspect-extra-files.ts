import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject, PackFinding } from "../../core/contract/index.ts";
import { type FileReader, findingOf } from "../../core/feature.ts";

/** Folders that a pack may contain in addition to those of the readers. */
const folders: ReadonlySet<string> = new Set(["lib", "etc", "tests", "docs"]);
const knownFiles =
	/^(?:pack\.yaml|config\.schema\.yaml|icon\.png|requirements[\w.-]*\.txt|[a-z0-9_]+\.yaml\.example|(?:README|CHANGES|CHANGELOG|LICENSE|LICENCE|NOTICE|CONTRIBUTORS|CONTRIBUTING|AUTHORS|OWNERS)(?:\.\w+)?|Makefile|package(?:-lock)?\.json|pyproject\.toml|setup\.cfg|tox\.ini)$/i;
const pngHead = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export interface OthersOfPack {
	readonly directory: string;
	readonly files: readonly string[];
	readonly readers: readonly FileReader[];
	readonly metadata: ReadonlyMap<string, JsonObject>;
}

/**
 * Returns notes on files that the service neither reads nor runs, on a missing README, and errors in the icon and in `requirements.txt`.
 * Without the notes, authors could expect misplaced files to have an effect.
 */
export async function inspectExtraFiles({ directory, files, readers, metadata }: OthersOfPack): Promise<readonly PackFinding[]> {
	return [
		...inspectTop(files, readers),
		...inspectDeeper(files, readers, metadata),
		...(files.some((file) => /^readme(?:\.\w+)?$/i.test(file))
			? []
			: [findingOf("note", "", "has no README.md, which describes the pack to users")]),
		...(files.includes("icon.png") ? await inspectIcon(directory) : []),
		...(files.includes("requirements.txt") ? await inspectRequirements(directory) : []),
	];
}

function inspectTop(files: readonly string[], readers: readonly FileReader[]): readonly PackFinding[] {
	const known = new Set([...folders, ...readers.map(({ folder }) => folder)]);
	const unknown = new Set(files.filter((file) => file.includes("/")).map((file) => file.split("/")[0] ?? ""));
	const ofFolders = [...unknown]
		.filter((folder) => !known.has(folder))
		.map((folder) => findingOf("note", `${folder}/`, "a directory with this name is ignored"));
	const ofFiles = files.filter((file) => !file.includes("/") && !knownFiles.test(file));
	return [...ofFolders, ...ofFiles.map((file) => findingOf("note", file, "a file with this name is ignored"))];
}

/**
 * Returns a note for each metadata file in a subfolder, because it is not read there. Entry points of actions, tests and files in
 * `actions/lib` are excepted.
 */
function inspectDeeper(
	files: readonly string[],
	readers: readonly FileReader[],
	metadata: ReadonlyMap<string, JsonObject>,
): readonly PackFinding[] {
	const used = new Set([...metadata.values()].map((values) => `actions/${String(values["entry_point"] ?? "")}`));
	return readers.flatMap(({ folder, kind }) =>
		files
			.filter((file) => file.startsWith(`${folder}/`) && file.includes("/", folder.length + 1) && /\.ya?ml$/.test(file))
			.filter((file) => !used.has(file) && !/\.test\.ya?ml$/.test(file) && !file.startsWith("actions/lib/"))
			.map((file) =>
				findingOf(
					"note",
					file,
					folder === "actions"
						? "is not the entry point of an action"
						: `is ignored: each ${kind.replace("_", " ")} must be a file directly in ${folder}`,
				),
			),
	);
}

async function inspectIcon(directory: string): Promise<readonly PackFinding[]> {
	const file = await open(join(directory, "icon.png"));
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(pngHead.length), 0, pngHead.length, 0);
		return bytesRead === pngHead.length && buffer.equals(pngHead)
			? []
			: [findingOf("error", "icon.png", "must be an image in the format PNG")];
	} finally {
		await file.close();
	}
}

/** Matches the beginning of a requirement: a package name, an option such as `-r`, or an address. Only pip checks the rest. */
const requirement = /^(?:[A-Za-z0-9][\w.-]*\s*(?:\[[\w\s,.-]*\])?\s*(?:$|[=<>!~;@,( ])|-{1,2}[a-z]|[a-z+]+:\/\/)/;

async function inspectRequirements(directory: string): Promise<readonly PackFinding[]> {
	const lines = (await readFile(join(directory, "requirements.txt"), "utf8")).split("\n");
	return lines.flatMap((line, index) => {
		const text = line.replace(/(?:^|\s)#.*$/, "").trim();
		return text === "" || requirement.test(text)
			? []
			: [findingOf("error", "requirements.txt", `"${text.slice(0, 100)}" is not a valid requirement`, index + 1)];
	});
}
