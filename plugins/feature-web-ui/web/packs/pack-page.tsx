import { stringifyJson } from "../../../../core/contract/index.ts";
import { escapeControlCharacters, type PackRecord } from "../../../_shipped/client.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { CodeBox } from "../parts/code-box.tsx";
import { Fact } from "../parts/fact.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Tabs } from "../parts/tabs.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/packs.ts";
import { PackConfig } from "./pack-config.tsx";
import { PackFiles, readPackText } from "./pack-files.tsx";
import { PackHead } from "./pack-head.tsx";
import { isPackJob } from "./pack-jobs.ts";
import { PackMembers } from "./pack-members.tsx";
import { toPackHref } from "./pack-source.ts";

const lists = [
	[texts.keywords, "keywords"],
	[texts.dependsOn, "dependencies"],
	[texts.python, "python_versions"],
	[texts.contributors, "contributors"],
] as const;

/** Shows the metadata that the author of a pack provides, and its readme. */
export function PackAbout({ pack }: { readonly pack: PackRecord }) {
	const readme = pack.files.find((path) => /^readme(\.\w+)?$/i.test(path));
	return (
		<>
			<dl class="facts">
				{lists
					.filter(([, member]) => pack[member].length > 0)
					.map(([name, member]) => (
						<Fact key={name} name={name}>
							{pack[member].map((each) => escapeControlCharacters(typeof each === "string" ? each : stringifyJson(each))).join(", ")}
						</Fact>
					))}
				{pack.svc_version !== undefined && <Fact name={texts.serviceVersions}>{escapeControlCharacters(pack.svc_version)}</Fact>}
				{pack.email !== undefined && <Fact name={texts.email}>{escapeControlCharacters(pack.email)}</Fact>}
			</dl>
			{readme === undefined ? <p class="faint">{texts.noReadme}</p> : <Readme pack={pack} path={readme} />}
		</>
	);
}

function Readme({ pack, path }: { readonly pack: PackRecord; readonly path: string }) {
	const text = useResource(() => readPackText(pack.ref, path), [pack.ref, pack.content, path]);
	return <Loaded resource={text}>{(found) => <CodeBox label={path} text={found ?? ""} />}</Loaded>;
}

const views = [
	{ name: "about", title: texts.aboutTab, Shown: PackAbout },
	{ name: "holds", title: texts.contentsTab, Shown: PackMembers },
	{ name: "configuration", title: common.configuration, Shown: PackConfig },
	{ name: "files", title: texts.filesTab, Shown: PackFiles },
];

/** Shows one pack: its description, content and configuration. */
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
			<Tabs label={texts.packTabs} tabs={tabs} current={view?.name ?? ""} />
			{view !== undefined && <view.Shown key={pack.ref} pack={pack} />}
		</>
	);
}
