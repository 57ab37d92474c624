import type { PackRecord } from "../../features/clients.ts";
import { toHref, toPath } from "../kit/address.ts";

/** Where a pack is shown. */
export function toPackHref(ref: string, view?: string): string {
	return toHref(toPath("/packs/:ref", { ref }), { view });
}

/** Where it came from, in a line. */
export function toOrigin({ source, path }: Pick<PackRecord, "source" | "path">): string {
	if (source === undefined) return path === undefined ? "the service itself" : `directory ${path}`;
	const { kind, address, revision, subdirectory } = source;
	const [where, which] = [`${String(address)}${subdirectory ? ` ${String(subdirectory)}` : ""}`, revision ? ` at ${String(revision)}` : ""];
	return `${kind === "git" ? "" : `${String(kind)} `}${where}${which}`;
}

/** A commit, or the sum of files that stands in its place, as far as it tells one from others. */
export function toShortCommit(commit: unknown): string {
	return typeof commit === "string" ? commit.replace(/^((?:sha256:)?.{10}).*$/s, "$1") : "";
}

/** Whether it was installed, and is not changed in git only: then it can be upgraded, rolled back and removed. */
export function isChangeable({ content, followed }: Pick<PackRecord, "content" | "followed">): boolean {
	return content !== undefined && followed === undefined;
}
