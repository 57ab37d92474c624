import type { Presentation } from "./records.ts";
import type { HttpContext, RouteContext } from "./route.ts";

/** Query parameter that asks for the real values of secrets. Only administrators get them; others get masked ones, without an error. */
export const secretsQuery = { show_secrets: "boolean" } as const;

/** How the records of an answer are shown to its caller. */
export function toPresentation(context: RouteContext<typeof secretsQuery>): Presentation {
	const shown = context.query.show_secrets === true && context.principal.isAdmin;
	return shown ? { ...toMaskedPresentation(context), masked: false } : toMaskedPresentation(context);
}

/** How records are shown where nobody may ask for secrets. */
export function toMaskedPresentation({ options, apiUrl }: HttpContext): Presentation {
	const base = options.webui.webui_base_url || apiUrl();
	return { webUrl: base.replace(/\/+$/, ""), masked: options.api.mask_secrets };
}
