import { type GitPack, type SvcConfig, toErrorMessage } from "../../core/contract/index.ts";
import { toSourceText } from "../../core/feature.ts";
import { toShownAddress } from "./sources/pack-address.ts";
import { parsePackRequest } from "./sources/parse-request.ts";

/** Returns the problems of the packs in git that a configuration follows. */
export function findFollowedProblems({ packs = [] }: Pick<SvcConfig, "packs">): readonly string[] {
	return packs.flatMap((pack, index) => {
		const problem = typeof pack === "string" ? undefined : findSourceProblem(pack);
		return problem === undefined ? [] : [`packs[${index}].${problem}`];
	});
}

/** Returns why the source cannot be followed, or undefined if it can. The message never contains an address with a password. */
function findSourceProblem(pack: GitPack): string | undefined {
	// The source appears in records, executions and the log, so it must not contain a password.
	if (toShownAddress(pack.git) !== plain(pack.git))
		return "git: must be an address without name and password; hint: content.credentials_file holds those of servers";
	try {
		const { kind, revision, subdirectory } = parsePackRequest(toSourceText(pack));
		if (kind === "index" || kind === "archive" || pack.git.startsWith("/"))
			return "git: must be the address of a repository; hint: file:// for one on this machine";
		if (revision !== pack.revision) return "git: must not hold a revision; hint: revision is a member of its own";
		return (subdirectory === undefined) === (pack.subdirectory === undefined)
			? undefined
			: "git: must not hold a folder; hint: subdirectory is a member of its own";
	} catch (error) {
		return `git: ${toErrorMessage(error)}`;
	}
}

/** Returns an address in the normalized form of `toShownAddress`, but with its user name, password and query. */
function plain(address: string): string {
	return URL.canParse(address) ? new URL(address).href : address;
}
