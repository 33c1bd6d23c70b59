/** Words with which people choose from a list, in some languages, folded. The runtime knows no ordinal words. */

/** Words around a choice that do not change it, folded. */
export const choiceFillers = (
	'i want, i d like, i would like, i ll take, i take, i prefer, i choose, can i have, could i have, the, a, an, one, my, it s, ' +
	'option, number, ' +
	'ich mochte, ich hatte, ich nehme, ich will, den, die, das, der, eine, einen, ein, nummer, ' +
	'je voudrais, je veux, je prends, je prefere, le, la, les, l, un, une, numero, ' +
	'quiero, quisiera, prefiero, el, los, las, una, opcion, vorrei, voglio, prendo, prefiro, quero, o, uma, ' +
	'ik wil, ik neem, de, het, een, doe maar, chce, wole, yang, yg, saya mau, aja, kak'
).split(', ');

/** By language: the first, the second, … the fourth and the last place, as words. "Other" is a word for the second in some languages, and left out. */
export const places = [
	'first, 1st; second, 2nd; third, 3rd; fourth, 4th; last', // English
	'erste, ersten, erstes, erster; zweite, zweiten, zweites, zweiter; dritte, dritten, drittes, dritter; vierte, vierten, viertes, vierter; letzte, letzten, letztes, letzter', // German
	'le premier, la premiere, 1er, 1ere; le deuxieme, la deuxieme, le second, la seconde; le troisieme, la troisieme; le quatrieme, la quatrieme; le dernier, la derniere', // French
	'el primero, la primera, lo primero; el segundo, la segunda; el tercero, la tercera; el cuarto, la cuarta; el ultimo, la ultima', // Spanish
	'il primo, la prima; il secondo, la seconda; il terzo, la terza; il quarto, la quarta; l ultimo, l ultima', // Italian
	'o primeiro, a primeira; o segundo, a segunda; o terceiro, a terceira; o quarto, a quarta; o ultimo, a ultima', // Portuguese
	'de eerste, het eerste; de tweede, het tweede; de derde, het derde; de vierde, het vierde; de laatste, het laatste', // Dutch
	'pierwsza, pierwszy, pierwsze; druga, drugi, drugie; trzecia, trzeci, trzecie; czwarta, czwarty, czwarte; ostatnia, ostatni, ostatnie', // Polish
	'birinci, birincisi, ilki; ikinci, ikincisi; ucuncu, ucuncusu; dorduncu, dorduncusu; sonuncu, sonuncusu', // Turkish
	'yang pertama, pertama; yang kedua, kedua; yang ketiga, ketiga; yang keempat, keempat; yang terakhir, terakhir', // Indonesian
	'первый, первая, первое, первую; второй, вторая, второе, вторую; третий, третья, третье, третью; четвертый, четвертая, четвертое, четвертую; последний, последняя, последнее, последнюю', // Russian
	'1番目, 一番目, 最初; 2番目, 二番目; 3番目, 三番目; 4番目, 四番目; 最後', // Japanese
	'第一个, 第一個; 第二个, 第二個; 第三个, 第三個; 第四个, 第四個; 最后一个, 最後一個', // Chinese
].map((row) => row.split('; ').map((words) => words.split(', ')));
