import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { SvcError } from "../../../contract/index.ts";
import type { PackVersion } from "../registration/chosen-packs.ts";
import type { PackProblem } from "./read-pack-directory.ts";

/** A file of a pack that cannot be used, for whoever does not know where packs lie. */
export type PackFileProblem = {
	readonly pack: string;
	/** Path in the pack. */
	readonly file: string;
	/** From 1; absent where it cannot be told. */
	readonly line?: number;
	/** Attribute, such as `parameters.count.type`; absent where none is concerned. */
	readonly path?: string;
	readonly message: string;
};

/** Most problems that a text holds; facts hold them all. */
const most = 50;

export function toProblems(versions: readonly PackVersion[], problems: readonly PackProblem[]): readonly PackFileProblem[] {
	return problems.map(({ file, message }) => {
		const found = versions.find(({ directory }) => isInside(directory, file));
		return { pack: found?.pack ?? "", file: found === undefined ? toShort(file) : relative(found.directory, file), message };
	});
}

/** All of them, as what keeps packs from being registered. */
export function toProblemsError(problems: readonly PackFileProblem[]): SvcError {
	const texts = problems.slice(0, most).map(toProblemText);
	const rest = problems.length > most ? [`and ${problems.length - most} more`] : [];
	return new SvcError("SVC_INVALID", [...texts, ...rest].join("; "), { facts: { problems } });
}

/** As `svc pack check` writes it. */
export function toProblemText({ pack, file, line, path, message }: PackFileProblem): string {
	const place = `${pack === "" ? "" : `pack "${pack}": `}${file}${line === undefined ? "" : `:${line}`}`;
	return `${place}: ${message}${path === undefined ? "" : ` (${path})`}`;
}

/** Of what lies outside of packs, such as overrides: nobody needs to know where. */
function toShort(file: string): string {
	return join(basename(dirname(file)), basename(file));
}

function isInside(directory: string, file: string): boolean {
	const path = relative(directory, file);
	return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}
