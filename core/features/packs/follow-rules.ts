import { createHash } from "node:crypto";
import type { GitPack, JsonObject } from "../../contract/index.ts";
import { toSourceText } from "./followed-source-api.ts";

/** A rule that the service creates because the configuration requires it. */
export interface FollowRule {
	readonly pack: "packs";
	readonly name: string;
	readonly description: string;
	readonly enabled: true;
	readonly trigger: { readonly type: string; readonly parameters: JsonObject };
	readonly action: { readonly ref: string; readonly parameters: JsonObject };
}

/** Pattern of the names of these rules. It identifies rules that the configuration no longer requires. */
export const followRuleName = /^followed_[0-9a-f]{12}$/;

/** Returns one rule for each repository with a webhook for pushes. The webhook trigger checks the signature and drops duplicates. */
export function toFollowRules(packs: readonly GitPack[]): readonly FollowRule[] {
	return packs.flatMap((pack) => {
		const { webhook } = pack;
		if (webhook === undefined) return [];
		const source = toSourceText(pack);
		return {
			pack: "packs",
			name: `followed_${createHash("sha256").update(source).digest("hex").slice(0, 12)}`,
			description: `Looks at ${source} when something is pushed there.`,
			enabled: true,
			trigger: { type: "core.svc.webhook", parameters: { deduplicate: {}, ...webhook } },
			action: { ref: "packs.look", parameters: { source } },
		};
	});
}
