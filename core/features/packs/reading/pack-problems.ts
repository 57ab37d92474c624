import { basename, dirname, join, relative } from "node:path";
import { SvcError } from "../../../contract/index.ts";
import { isInside } from "../../../lib/safe-path.ts";
import type { PackVersion } from "../registration/chosen-packs.ts";
import type { PackProblem } from "./read-pack-directory.ts";

/** Problem of a file in a pack, for users who cannot access the directories of the node. */
export type PackFileProblem = {
	readonly pack: string;
	/** Path relative to the pack. */
	readonly file: string;
	/** Line number, counted from 1. Absent if the line cannot be determined. */
	readonly line?: number;
	/** Attribute, such as `parameters.count.type`. Absent if the problem does not concern an attribute. */
	readonly path?: string;
	readonly message: string;
};

/** Maximum number of problems in an error message. The facts of the error contain all problems. */
const maxNamedProblems = 50;

export function toProblems(versions: readonly PackVersion[], problems: readonly PackProblem[]): readonly PackFileProblem[] {
	return problems.map(({ file, message }) => {
		const found = versions.find(({ directory }) => isInside(directory, file));
		return { pack: found?.pack ?? "", file: found === undefined ? toShort(file) : relative(found.directory, file), message };
	});
}

/** Returns a `SVC_INVALID` error with all problems, to be thrown when packs are rejected. */
export function toProblemsError(problems: readonly PackFileProblem[]): SvcError {
	const texts = problems.slice(0, maxNamedProblems).map(toProblemText);
	const rest = problems.length > maxNamedProblems ? [`and ${problems.length - maxNamedProblems} more`] : [];
	return new SvcError("SVC_INVALID", [...texts, ...rest].join("; "), { facts: { problems } });
}

/** Returns a problem in the format of `svc pack check`. */
export function toProblemText({ pack, file, line, path, message }: PackFileProblem): string {
	const place = `${pack === "" ? "" : `pack "${pack}": `}${file}${line === undefined ? "" : `:${line}`}`;
	return `${place}: ${message}${path === undefined ? "" : ` (${path})`}`;
}

/** Shortens the path of a file outside of packs, such as an override file, so that directories of the node are not disclosed. */
function toShort(file: string): string {
	return join(basename(dirname(file)), basename(file));
}
