import { SvcError } from "../../../contract/index.ts";
import type { PackRequest } from "../sources/parse-request.ts";
import type { FollowedPacks } from "./followed-packs.ts";
import type { Installer } from "./installer.ts";
import { JobParameters } from "./job-parameters.ts";
import type { Job } from "./job-runner.ts";
import { assertNoPassword, toLocked, toLockedRequest } from "./lock-entries.ts";

export interface InstallJobParts {
	readonly installer: Pick<Installer, "install">;
	readonly followedPacks: Pick<FollowedPacks, "assertNoneMeant">;
	parse(text: string): PackRequest;
}

/** `packs.install`. */
export function createInstallJob({ installer, parse, followedPacks }: InstallJobParts): Job {
	return {
		permission: "pack_install",
		async perform(job) {
			const parameters = new JobParameters(job.parameters);
			const [packs, locked] = [parameters.texts("packs"), toLocked(parameters.list("locked"), parse)];
			if ((packs.length === 0) === (locked.length === 0))
				throw new SvcError(
					"SVC_INVALID",
					"packs: name what is to be installed; or locked: give the entries of a lock file, and no packs besides",
				);
			const force = parameters.flag("force");
			if (locked.length === 0) {
				const options = { force, skipDependencies: parameters.flag("skip_dependencies") };
				const requests = toRequests(packs, parse);
				await followedPacks.assertNoneMeant(requests);
				return installer.install(requests, options, job);
			}
			// A lock file holds the dependencies as well.
			const expected = new Map(locked.map(({ ref, content }) => [ref, content]));
			return installer.install(locked.map(toLockedRequest), { force, skipDependencies: true, expected }, job);
		},
	};
}

/** What somebody asks for. `SVC_INVALID` says what is wrong with the first that cannot be. */
export function toRequests(packs: readonly string[], parse: (text: string) => PackRequest): readonly PackRequest[] {
	return packs.map((text) => {
		const request = parse(text);
		assertNoPassword(request);
		return request;
	});
}
