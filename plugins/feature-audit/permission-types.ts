import { definePermissions } from "../../core/feature.ts";

declare module "../../core/feature.ts" {
	interface PermissionVerbs {
		audit: "view";
	}
}

definePermissions("audit", { verbs: ["view"], global: ["view"], isHiddenFromObservers: true });
