import type { ResourceTypeDefinition } from "../../core/feature.ts";
import { type ActionAliasEntity, actionAliasKind } from "./entities.ts";

declare module "../../core/feature.ts" {
	interface EntityMap {
		action_alias: ActionAliasEntity;
	}
	interface PermissionVerbs {
		action_alias: "list" | "view" | "create" | "modify" | "match" | "help" | "delete" | "all";
	}
}

export const kinds = { action_alias: actionAliasKind };

export const permissions: { readonly action_alias: ResourceTypeDefinition } = {
	action_alias: {
		verbs: ["list", "view", "create", "modify", "match", "help", "delete", "all"],
		isInPacks: true,
		global: ["match", "help"],
	},
};
