/** Preact without a build step: markup as tagged templates, in which every value is escaped. */
import htm from 'htm';
import { h } from 'preact';

/** @type {(strings: TemplateStringsArray, ...values: unknown[]) => import('preact').VNode} */
// @ts-expect-error htm also knows templates with several roots, which are not used here
export const html = htm.bind(h);
