import { defineAuthBackend, SvcError } from "svc-automation/contract";

/** Verifies a name and a password with a server over HTTP. It answers 200 with the groups of the user, or 401. */
export const templateName = defineAuthBackend(
	"template-name",
	({ url }: { url: string }) => ({
		async authenticate({ username, password }, { signal }) {
			const response = await fetch(url, { method: "POST", body: JSON.stringify({ username, password }), signal }).catch((cause) => {
				signal.throwIfAborted();
				throw new SvcError("SVC_UNAVAILABLE", "the account server cannot be reached", { cause });
			});
			if (response.status === 401) return undefined;
			// Any other status must not authenticate the user.
			if (response.status !== 200) throw new SvcError("SVC_UNAVAILABLE", `the account server answered ${response.status}`);
			const { groups = [] } = (await response.json()) as { groups?: string[] };
			return { username, groups };
		},
	}),
	{ contract: 1 },
);
