import type { PackRecord } from "../../features/clients.ts";
import { addressBar } from "../kit/address.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { Loaded } from "../parts/loaded.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { PackAbout } from "./pack-about.tsx";
import { PackConfig } from "./pack-config.tsx";
import { PackFiles } from "./pack-files.tsx";
import { PackHead } from "./pack-head.tsx";
import { PackHolds } from "./pack-holds.tsx";
import { isPackJob } from "./pack-jobs.ts";
import { toPackHref } from "./pack-source.ts";

const views = [
	{ name: "about", title: "About", Shown: PackAbout },
	{ name: "holds", title: "What it holds", Shown: PackHolds },
	{ name: "configuration", title: "Configuration", Shown: PackConfig },
	{ name: "files", title: "Files", Shown: PackFiles },
];

/** One pack: what it is, what it holds, how it is set up. */
export function Page({ values: { ref = "" } }: PageProps) {
	const resource = useResource(() => client.packs.get(ref), [ref], { isTouched: isPackJob });
	return (
		<Loaded resource={resource} title={ref}>
			{(pack) => <Pack pack={pack} />}
		</Loaded>
	);
}

function Pack({ pack }: { readonly pack: PackRecord }) {
	const view = views.find(({ name }) => name === addressBar.query("view")) ?? views[0];
	const tabs = views.map(({ name, title }) => ({
		name,
		title,
		href: toPackHref(pack.ref, name === "about" ? undefined : name),
		count: name === "files" ? pack.files.length : undefined,
	}));
	return (
		<>
			<PackHead pack={pack} />
			<Tabs label="Views of this pack" tabs={tabs} current={view?.name ?? ""} />
			{view !== undefined && <view.Shown key={pack.ref} pack={pack} />}
		</>
	);
}
