import { setTimeout as delay } from "node:timers/promises";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import type { TokenRecord } from "../../client/sign-in.ts";
import { isSvcError } from "../../contract/index.ts";
import type { AccessClient, DeviceSignInRecord } from "./client.ts";

/** What a provider that wants fewer questions asks for: this much longer between them from then on. */
const slower = 5;
/** Seconds between two questions, whatever the provider says: neither a flood nor a standstill. */
const [shortest, longest] = [1, 60];

/** Sign in in a browser on any machine: says where to go and what to enter, on stderr, and waits until somebody has. */
export async function signInElsewhere(
	{ singleSignOn }: Pick<AccessClient, "singleSignOn">,
	{ ttl }: { readonly ttl?: number },
	{ stderr }: Pick<CliContext, "stderr">,
): Promise<TokenRecord> {
	const begun = await singleSignOn.beginDevice().catch((error: unknown) => {
		if (isSvcError(error, "SVC_NOT_FOUND")) throw new CliExit(1, `${error.message}; \`svc login <user>\` signs in with a password`);
		throw error;
	});
	await write(stderr, toInvitation(begun));
	const end = performance.now() + begun.expires_in * 1_000;
	let interval = Math.min(longest, Math.max(shortest, begun.interval));
	while (performance.now() < end) {
		await delay(interval * 1_000);
		const answer = await poll();
		if (answer !== undefined && "token" in answer) return answer;
		if (answer?.slow_down === true) interval = Math.min(longest, interval + slower);
	}
	throw new CliExit(1, "nobody has signed in in time; `svc login --sso` begins again");

	async function poll() {
		try {
			return await singleSignOn.pollDevice(begun.device_code, { ttl });
		} catch (error) {
			if (isSvcError(error, "SVC_UNAUTHORIZED")) throw new CliExit(1, `the service refused the sign-in: ${error.message}`);
			// Away for a moment: the sign-in goes on elsewhere meanwhile.
			if (isSvcError(error, "SVC_UNAVAILABLE") || isSvcError(error, "SVC_TOO_MANY")) return undefined;
			throw error;
		}
	}
}

function toInvitation({ verification_uri, verification_uri_complete, user_code }: DeviceSignInRecord): string {
	const complete = verification_uri_complete === undefined ? "" : `\nor open ${plain(verification_uri_complete)}\n`;
	return `To sign in, open ${plain(verification_uri)} in a browser and enter the code ${plain(user_code)}\n${complete}`;
}

/** What a provider says goes to a terminal. */
function plain(text: string): string {
	return text.replace(/\p{Cc}/gu, "");
}
