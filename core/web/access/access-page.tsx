import { toHref, toPath } from "../kit/address.ts";
import type { PageProps } from "../kit/page.ts";
import { type PageView, PageViews } from "../parts/page-views.tsx";
import { AssignmentList } from "./assignment-list.tsx";
import { OwnAccess } from "./own-access.tsx";
import { RoleList } from "./role-list.tsx";

const views: readonly PageView[] = [
	{ name: "own", title: "What you may do", Shown: OwnAccess },
	{ name: "roles", title: "Roles", permission: "admin", Shown: RoleList },
	{ name: "assignments", title: "Who has which", permission: "admin", Shown: AssignmentList },
];

/** Who may do what. Roles come from the configuration, and from groups: nothing is changed here. */
export function Page({ values: { view = "" } }: PageProps) {
	return (
		<>
			<div class="page-head">
				<h1>Access</h1>
			</div>
			<PageViews
				label="Views of access"
				views={views}
				chosen={view}
				toViewHref={(name) => toHref(toPath("/access/:view", { view: name }))}
				refusal="You may not see who may do what."
			/>
		</>
	);
}
