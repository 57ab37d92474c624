import { definePermissions } from "../../kernel/basics/permission-types.ts";

declare module "../../kernel/basics/permission-types.ts" {
	interface PermissionVerbs {
		audit: "view";
	}
}

definePermissions("audit", { verbs: ["view"], global: ["view"] });
