import type { ComponentType } from "preact";
import { toHref, toPath } from "../kit/address.ts";
import type { PageProps } from "../kit/page.ts";
import { session } from "../kit/service.ts";
import { Tabs } from "../parts/tabs.tsx";
import { AssignmentList } from "./assignment-list.tsx";
import { OwnAccess } from "./own-access.tsx";
import { RoleList } from "./role-list.tsx";

interface View {
	readonly name: string;
	readonly title: string;
	readonly isForAll: boolean;
	readonly Shown: ComponentType;
}

const views: readonly View[] = [
	{ name: "own", title: "What you may do", isForAll: true, Shown: OwnAccess },
	{ name: "roles", title: "Roles", isForAll: false, Shown: RoleList },
	{ name: "assignments", title: "Who has which", isForAll: false, Shown: AssignmentList },
];

/** Who may do what. Roles come from the configuration, and from groups: nothing is changed here. */
export function Page({ values: { view = "" } }: PageProps) {
	const offered = views.filter(({ isForAll }) => isForAll || session.may("admin"));
	const current = offered.find(({ name }) => name === view) ?? offered[0];
	const tabs = offered.map(({ name, title }) => ({ name, title, href: toHref(toPath("/access/:view", { view: name })) }));
	return (
		<>
			<div class="page-head">
				<h1>Access</h1>
			</div>
			<Tabs label="Views of access" tabs={tabs} current={current?.name ?? ""} />
			{current !== undefined && <current.Shown />}
		</>
	);
}
