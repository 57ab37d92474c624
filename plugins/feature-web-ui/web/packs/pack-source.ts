import type { PackRecord } from "../../../_shipped/client.ts";
import { toHref, toPath } from "../kit/router.ts";
import * as texts from "../texts/packs.ts";

export function toPackHref(ref: string, view?: string): string {
	return toHref(toPath("/packs/:ref", { ref }), { view });
}

/** Returns the source of a pack in one line. */
export function toOrigin({ source, path }: Pick<PackRecord, "source" | "path">): string {
	if (source === undefined) return path === undefined ? texts.builtIn : texts.fromDirectory(path);
	const { kind, address, revision, subdirectory } = source;
	const [where, which] = [
		`${String(address)}${subdirectory ? ` ${String(subdirectory)}` : ""}`,
		revision ? texts.atRevision(String(revision)) : "",
	];
	return `${kind === "git" ? "" : `${String(kind)} `}${where}${which}`;
}

/** Returns the first 10 characters of a commit, or of the checksum of the files if there is no commit. */
export function toShortCommit(commit: unknown): string {
	return typeof commit === "string" ? commit.replace(/^((?:sha256:)?.{10}).*$/s, "$1") : "";
}

/**
 * Returns true if the pack was installed and does not follow a git repository. Only such a pack can be upgraded, rolled back and removed
 * here.
 */
export function isChangeable({ content, followed }: Pick<PackRecord, "content" | "followed">): boolean {
	return content !== undefined && followed === undefined;
}
