/** Draws the dashboard with Grafana's own components, as its JSON describes it: panels, units, colours, thresholds, legends and links. */
import {
	FieldType,
	Registry,
	applyFieldOverrides,
	createTheme,
	dateTime,
	identityOverrideProcessor,
	toDataFrame,
} from '@grafana/data';
import { BigValue, GlobalStyles, PanelChrome, Table, ThemeContext, TimeSeries } from '@grafana/ui';
import React from 'react';
import { createRoot } from 'react-dom/client';

/** `from` and `to` in ms, `rows` by the title of the panel. */
const { dashboard, rows, from, to } = window.given;
const theme = createTheme({ colors: { mode: 'light' } });
const timeRange = { from: dateTime(from), to: dateTime(to), raw: { from: 'now-7d', to: 'now' } };

/** Sizes of Grafana's grid, CSS pixels: the width of the page, the height of a row, and the gap between panels. */
const [width, rowHeight, gap] = [1400, 38, 8];
const times = ['time', 'Started', 'Last run'];

/** The settings of a field that the dashboard may use. In Grafana itself, they are registered at its start. */
const names = ['unit', 'min', 'decimals', 'noValue', 'color', 'thresholds', 'links'];
const customNames = [
	'drawStyle',
	'fillOpacity',
	'lineWidth',
	'stacking',
	'cellOptions',
	'width',
	'align',
];
const setting = (path, isCustom) => ({
	...{ id: isCustom ? `custom.${path}` : path, path, name: path, isCustom },
	...{ process: identityOverrideProcessor, shouldApply: () => true },
});
const fieldConfigRegistry = new Registry(() => [
	...names.map((name) => setting(name, false)),
	...customNames.map((name) => setting(name, true)),
]);

function frameOf({ title, fieldConfig }) {
	const columns = Object.keys(rows[title][0]);
	const fields = columns.map((name) => {
		const values = rows[title].map((row) => row[name]);
		const isNumber = values.every((value) => typeof value === 'number');
		const type = isNumber ? FieldType.number : FieldType.string;
		return { name, config: {}, values, type: times.includes(name) ? FieldType.time : type };
	});
	const replaceVariables = (text) => text;
	const rest = { fieldConfig, fieldConfigRegistry, replaceVariables, theme, timeZone: 'utc' };
	return applyFieldOverrides({ data: [toDataFrame({ fields })], ...rest })[0];
}

const content = {
	stat: ({ options }, { fields }, size) =>
		fields.map((field) => (
			<BigValue
				key={field.name}
				{...options}
				theme={theme}
				count={fields.length}
				value={{ ...field.display(field.values[0]), title: field.name }}
				width={size.width / fields.length}
				height={size.height}
			/>
		)),
	timeseries: ({ options }, frame, size) => (
		<TimeSeries
			frames={[frame]}
			legend={{ calcs: [], ...options.legend }}
			timeRange={timeRange}
			timeZone="utc"
			{...size}
		/>
	),
	table: (_, frame, size) => <Table data={frame} {...size} />,
};

function Panel({ panel }) {
	const { x, y, w, h } = panel.gridPos;
	const column = (width - gap) / 24;
	return (
		<div style={{ position: 'absolute', left: gap + x * column, top: gap + y * rowHeight }}>
			<PanelChrome title={panel.title} width={w * column - gap} height={h * rowHeight - gap}>
				{(innerWidth, innerHeight) => (
					<div style={{ display: 'flex' }}>
						{content[panel.type](panel, frameOf(panel), { width: innerWidth, height: innerHeight })}
					</div>
				)}
			</PanelChrome>
		</div>
	);
}

const root = document.getElementById('root');
const bottom = Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
Object.assign(root.style, { position: 'relative', width: `${width}px` });
Object.assign(root.style, {
	height: `${gap + bottom * rowHeight}px`,
	background: theme.colors.background.canvas,
});
createRoot(root).render(
	<ThemeContext.Provider value={theme}>
		<GlobalStyles />
		{dashboard.panels.map((panel) => (
			<Panel key={panel.title} panel={panel} />
		))}
	</ThemeContext.Provider>,
);
