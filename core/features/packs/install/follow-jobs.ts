import { isSvcError } from "../../../contract/index.ts";
import type { FollowedPacks } from "./followed-packs.ts";
import type { Following } from "./following.ts";
import type { Installer } from "./installer.ts";
import { JobParameters } from "./job-parameters.ts";
import type { Jobs } from "./job-runner.ts";

export interface FollowJobParts {
	readonly installer: Pick<Installer, "install">;
	readonly followedPacks: Pick<FollowedPacks, "source" | "known">;
	readonly following: Pick<Following, "ask">;
}

/** `packs.follow` installs what a followed repository has, and nobody else may; `packs.look` has the service look there at once. */
export function createFollowJobs({ installer, followedPacks, following }: FollowJobParts): Pick<Jobs, "follow" | "look"> {
	return {
		follow: {
			permission: "pack_install",
			async perform(job) {
				const followed = followedPacks.source(new JobParameters(job.parameters).text("source"));
				const own = await followedPacks.known(followed);
				try {
					await installer.install([followed.request], { force: false, skipDependencies: false, own }, job);
				} catch (error) {
					// What is wrong with the files stays wrong until they are others.
					if (isSvcError(error, "SVC_INVALID")) job.report.add({ is_lasting: true });
					throw error;
				}
			},
		},
		look: {
			permission: "pack_install",
			async perform({ parameters, report }) {
				const followed = followedPacks.source(new JobParameters(parameters).text("source"));
				following.ask(followed);
				await report.say(`the service looks at ${followed.request.text}; what is new there is installed by an execution of its own`);
			},
		},
	};
}
